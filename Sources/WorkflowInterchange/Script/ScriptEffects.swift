/// Tells scripts that compute something from those that may also change data.
enum ScriptEffects {
    /// Functions that only compute, by the last part of their name.
    private static let pure: Set = [
        "In", "isArray", "indexOf", "lastIndexOf", "includes", "startsWith", "endsWith", "slice", "substring", "substr",
        "charAt", "concat", "join", "split", "trim", "toUpperCase", "toLowerCase", "toString", "toFixed", "parseInt",
        "parseFloat", "isNaN", "hasOwnProperty",
    ]

    /// Whether a script without counterpart may write data when it runs: it calls something of its own, assigns,
    /// counts or deletes. A script that cannot be taken apart may.
    static func mayWrite(_ text: String) -> Bool {
        var lexer = ScriptLexer(text)
        // The last words before the next one: `Math`, `.`, `floor`.
        var before: [ScriptToken] = []
        do throws(ScriptFailure) {
            while true {
                let token = try lexer.next()
                switch token {
                case .end: return false
                case .word("delete"), .word("new"), .word("function"), .sign("=>"), .sign("++"), .sign("--"):
                    return true
                case .sign("("):
                    if isCall(after: before) { return true }
                case .sign(let sign) where sign.hasSuffix("=") && ScriptOperator(rawValue: sign) == nil: return true
                default: break
                }
                before = before.suffix(2) + [token]
            }
        } catch {
            return true
        }
    }

    /// Whether a bracket behind these words calls what may write.
    private static func isCall(after words: [ScriptToken]) -> Bool {
        switch words.last {
        case .word(let name): return !(pure.contains(name) || words.first == .word("Math"))
        case .sign(")"), .sign("]"): return true
        default: return false
        }
    }
}
