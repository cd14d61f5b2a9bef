/// What a call of a function of the language knows of its place.
struct CallSite: Sendable {
    let name: String
    let isMember: Bool
    let range: Range<Int>
    /// The arguments, the receiver first.
    let arguments: [Operand]

    /// What is said when no overload takes values of these types; nil for one that is not known.
    func noOverload(_ types: [TypeName?]) -> String {
        let message = "no such overload: \(Self.signature(name, isMember, types.map { $0?.word ?? "dyn" }))"
        if let index = types.firstIndex(of: .null), !FunctionLibrary.takesNull(name, isMember, index) {
            return "\(message); \(OverloadAdvice.whenNull(arguments[index]))"
        }
        return "\(message); \(FunctionLibrary.usage(of: name, isMember, types.count))"
    }

    /// What is said when something else stands where an optional should.
    func notOptional(_ type: TypeName?) -> String {
        "no such overload: \(name) wants optionals, as a.?b gives them, not \(type?.withArticle ?? "dyn")"
    }

    /// `f(int, string)` or `string.f(int)`.
    static func signature(_ name: String, _ isMember: Bool, _ types: [String]) -> String {
        isMember
            ? "\(types.first ?? "").\(name)(\(types.dropFirst().joined(separator: ", ")))"
            : "\(name)(\(types.joined(separator: ", ")))"
    }
}

/// What a call of a function of the host knows of its place.
struct HostCallSite: Sendable {
    let name: String
    let range: Range<Int>
    /// The types of the parameters of each overload, as words.
    let signatures: [[String]]

    /// What is said when no overload takes values of these types.
    func noOverload(_ types: [String]) -> String {
        let known = signatures.map { CallSite.signature(name, false, $0) }
        return "no such overload: \(CallSite.signature(name, false, types)); there is \(known.listed)"
    }
}
