/// Finds the variables and functions of an environment by name. One table serves all expressions of the environment.
struct NameTable: Sendable {
    private let variables: [String: Int]
    private let functions: [String: [Int]]
    /// The prefixes for lookups, the innermost namespace first: `a.b.`, `a.`, and the empty prefix.
    private let prefixes: [String]
    /// The largest number of parts in a name.
    private let longestName: Int

    init(variables: [Environment.Variable], functions: [Environment.Function], container: String) {
        self.variables = Dictionary(
            variables.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        self.functions = Dictionary(grouping: functions.indices) { functions[$0].name }
        var parts = container.split(separator: ".")
        var prefixes: [String] = []
        while !parts.isEmpty {
            prefixes.append(parts.joined(separator: ".") + ".")
            parts.removeLast()
        }
        self.prefixes = prefixes + [""]
        let names = variables.map(\.name) + TypeName.allCases.map(\.rawValue)
        longestName = names.map { $0.split(separator: ".").count }.max() ?? 1
    }

    /// Returns the variable with the longest name that begins the path, and the number of parts in its name.
    func variable(_ path: [String], isAbsolute: Bool) -> (number: Int, length: Int)? {
        longest(path, isAbsolute) { variables[$0] }
    }

    /// Returns the type with the longest name that begins the path, and the number of parts in its name.
    func type(_ path: [String]) -> (name: TypeName, length: Int)? {
        longest(path, true) { TypeName(rawValue: $0) }.map { ($0.number, $0.length) }
    }

    /// Returns the overloads of a host function.
    func functions(_ name: String, isAbsolute: Bool) -> [Int] {
        if isAbsolute { return functions[name] ?? [] }
        return prefixes.lazy.compactMap { functions[$0 + name] }.first ?? []
    }

    private func longest<Found>(
        _ path: [String], _ isAbsolute: Bool, _ find: (String) -> Found?
    ) -> (number: Found, length: Int)? {
        for length in stride(from: min(path.count, longestName), to: 0, by: -1) {
            let name = path.prefix(length).joined(separator: ".")
            for prefix in isAbsolute ? [""] : prefixes {
                if let found = find(prefix + name) { return (found, length) }
            }
        }
        return nil
    }
}
