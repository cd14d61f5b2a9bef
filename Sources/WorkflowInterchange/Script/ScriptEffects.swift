/// Distinguishes scripts that only compute from scripts that may change data.
enum ScriptEffects {
    /// The functions without side effects, by the last part of their name.
    private static let pure: Set = [
        "In", "isArray", "indexOf", "lastIndexOf", "includes", "startsWith", "endsWith", "slice", "substring", "substr",
        "charAt", "concat", "join", "split", "trim", "toUpperCase", "toLowerCase", "toString", "toFixed", "parseInt",
        "parseFloat", "isNaN", "hasOwnProperty",
    ]

    /// Returns true if a script without a counterpart may write data. Such a script calls its own functions, assigns,
    /// increments, decrements or deletes. A script that cannot be tokenized also counts.
    static func mayWrite(_ text: String) -> Bool {
        var lexer = ScriptLexer(text)
        // The last words before the next token: `Math`, `.`, `floor`.
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

    /// Returns true if a bracket after these words calls a function that may write.
    private static func isCall(after words: [ScriptToken]) -> Bool {
        switch words.last {
        case .word(let name): return !(pure.contains(name) || words.first == .word("Math"))
        case .sign(")"), .sign("]"): return true
        default: return false
        }
    }
}
