/// The functions of the language, by topic.
enum FunctionLibrary {
    /// All of them. Where several overloads fit, the first one counts: those that take any type come last.
    static let overloads: [Overload] =
        conversionFunctions + sizeFunctions + stringFunctions + textFunctions + formatFunctions + matchFunctions
        + listFunctions + timeFunctions + extremeFunctions + mathFunctions + base64Functions + optionalFunctions

    /// The overloads of a name, called as a function or as a member.
    static func overloads(named name: String, isMember: Bool) -> [Overload] {
        (isMember ? members : functions)[name] ?? []
    }

    /// The names of all functions.
    static let functionNames: [String] = functions.keys.sorted()
    /// The names of all members.
    static let memberNames: [String] = members.keys.sorted()

    private static let functions = Dictionary(grouping: overloads.filter { !$0.isMember }, by: \.name)
    private static let members = Dictionary(grouping: overloads.filter(\.isMember), by: \.name)
}

extension FunctionLibrary {
    private static let longestUsage = 4

    /// How a function is called, for messages.
    static func usage(of name: String, _ isMember: Bool) -> String {
        var signatures: [String] = []
        for overload in overloads(named: name, isMember: isMember) {
            let signature = CallSite.signature(name, isMember, overload.parameters.map(\.word))
            if !signatures.contains(signature) { signatures.append(signature) }
        }
        let shown = signatures.prefix(longestUsage).joined(separator: ", ")
        return "there is \(shown)" + (signatures.count > longestUsage ? " and more" : "")
    }

    /// Whether null fits a parameter of one of a function's overloads.
    static func takesNull(_ name: String, _ isMember: Bool, _ index: Int) -> Bool {
        overloads(named: name, isMember: isMember).contains { overload in
            index < overload.parameters.count && overload.parameters[index].isCompatible(with: .null)
        }
    }
}
