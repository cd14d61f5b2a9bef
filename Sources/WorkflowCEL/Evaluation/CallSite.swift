/// The name, range and arguments of a call of a language function.
struct CallSite: Sendable {
    let name: String
    let isMember: Bool
    let range: Range<Int>
    /// The arguments, the receiver first.
    let arguments: [Operand]

    /// Returns the message for a call without an overload for these types; `nil` stands for an unknown type.
    func noOverload(_ types: [TypeName?]) -> String {
        let message = "no such overload: \(Self.signature(name, isMember, types.map { $0?.word ?? "dyn" }))"
        if let index = types.firstIndex(of: .null), !FunctionLibrary.takesNull(name, isMember, index) {
            return "\(message); \(OverloadAdvice.whenNull(arguments[index]))"
        }
        return "\(message); \(FunctionLibrary.usage(of: name, isMember, types.count))"
    }

    /// Returns the message for a value where an optional is required.
    func notOptional(_ type: TypeName?) -> String {
        "no such overload: \(name) wants optionals, as a.?b gives them, not \(type?.withArticle ?? "dyn")"
    }

    /// Returns the signature of a call: `f(int, string)` or `string.f(int)`.
    static func signature(_ name: String, _ isMember: Bool, _ types: [String]) -> String {
        isMember
            ? "\(types.first ?? "").\(name)(\(types.dropFirst().joined(separator: ", ")))"
            : "\(name)(\(types.joined(separator: ", ")))"
    }
}

/// The name, range and signatures of a call of a host function.
struct HostCallSite: Sendable {
    let name: String
    let range: Range<Int>
    /// The parameter types of each overload, as words.
    let signatures: [[String]]

    /// Returns the message for a call without an overload for these types.
    func noOverload(_ types: [String]) -> String {
        let known = signatures.map { CallSite.signature(name, false, $0) }
        return "no such overload: \(CallSite.signature(name, false, types)); there is \(known.listed)"
    }
}
