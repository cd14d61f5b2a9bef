/// The functions of the language, by topic.
enum FunctionLibrary {
    /// All of them. Where several overloads fit, the first one counts: those that take any type come last.
    static let overloads: [Overload] =
        conversionFunctions + sizeFunctions + stringFunctions + textFunctions + formatFunctions + matchFunctions
        + listFunctions + timeFunctions + calendarFunctions + extremeFunctions + mathFunctions + base64Functions
        + optionalFunctions

    /// The overloads of a name, called as a function or as a member.
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

    /// The functions of the first version that behave otherwise than the present ones of the same name.
    private static let firstBodies = Dictionary(
        uniqueKeysWithValues: [durationOfFirst, formatOfFirst].map { ($0.name, $0) })

    private static let functions = Dictionary(grouping: overloads.filter { !$0.isMember }, by: \.name)
    private static let members = Dictionary(grouping: overloads.filter(\.isMember), by: \.name)
}

extension FunctionLibrary {
    private static let longestUsage = 4

    /// Functions that have got overloads with more parameters. A machine may keep in its context what it was told of
    /// a failure, so a call with as many arguments as before is told what it was told then.
    private static let extended: Set<String> = ["timestamp"]

    /// How a function is called, for messages.
    ///
    /// - Parameter count: How many arguments it was called with.
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

    /// Whether null fits a parameter of one of a function's overloads.
    static func takesNull(_ name: String, _ isMember: Bool, _ index: Int) -> Bool {
        overloads(named: name, isMember: isMember).contains { overload in
            index < overload.parameters.count && overload.parameters[index].isCompatible(with: .null)
        }
    }
}
