/// The language's functions, by topic.
enum FunctionLibrary {
    /// All overloads. The first that fits a call is used, so overloads with parameters of any type come last.
    static let overloads: [Overload] =
        conversionFunctions + sizeFunctions + stringFunctions + textFunctions + formatFunctions + matchFunctions
        + listFunctions + timeFunctions + calendarFunctions + extremeFunctions + mathFunctions + base64Functions
        + optionalFunctions

    /// Returns the overloads of a name, for a function or a member call.
    static func overloads(
        named name: String, isMember: Bool, in version: LanguageVersion = .current
    ) -> [Overload] {
        let overloads = (isMember ? members : functions)[name] ?? []
        guard version == .first, let first = firstBodies[name] else { return overloads }
        return overloads.map { $0.isMember == first.isMember && $0.parameters == first.parameters ? first : $0 }
    }

    /// The names of all functions.
    static let functionNames: [String] = functions.keys.sorted()
    /// The names of all members.
    static let memberNames: [String] = members.keys.sorted()

    /// The functions whose behavior in the first version differs from the current function of the same name.
    private static let firstBodies = Dictionary(
        uniqueKeysWithValues: [durationOfFirst, formatOfFirst].map { ($0.name, $0) })

    private static let functions = Dictionary(grouping: overloads.filter { !$0.isMember }, by: \.name)
    private static let members = Dictionary(grouping: overloads.filter(\.isMember), by: \.name)
}

extension FunctionLibrary {
    private static let longestUsage = 4

    /// Functions that gained overloads with more parameters. A machine may store the message of a failure in its
    /// context. So a call with the old number of arguments keeps its old message.
    private static let extended: Set<String> = ["timestamp"]

    /// Returns the signatures of a function, for messages.
    ///
    /// - Parameter count: The number of arguments in the call.
    static func usage(of name: String, _ isMember: Bool, _ count: Int) -> String {
        var signatures: [String] = []
        let all = overloads(named: name, isMember: isMember)
        let alike = extended.contains(name) ? all.filter { $0.parameters.count == count } : all
        for overload in alike.isEmpty ? all : alike {
            let signature = CallSite.signature(name, isMember, overload.parameters.map(\.word))
            if !signatures.contains(signature) { signatures.append(signature) }
        }
        let shown = signatures.prefix(longestUsage).joined(separator: ", ")
        return "there is \(shown)" + (signatures.count > longestUsage ? " and more" : "")
    }

    /// Returns true if an overload of the function accepts null for a parameter.
    static func takesNull(_ name: String, _ isMember: Bool, _ index: Int) -> Bool {
        overloads(named: name, isMember: isMember).contains { overload in
            index < overload.parameters.count && overload.parameters[index].isCompatible(with: .null)
        }
    }
}
