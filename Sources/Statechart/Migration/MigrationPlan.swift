package import WorkflowJSON

/// How instances of one version of a machine go over to another one.
package struct MigrationPlan: Sendable, Hashable {
    /// From when on the delays of timers count that the instance had no timer for.
    package enum Timers: String, Sendable, CaseIterable {
        /// Since the instance entered its state.
        case sinceEntry = "since-entry"
        case fromNow = "from-now"
    }

    /// Paths of `map`, `assign` and `drop` at most, each.
    package static let paths = 200

    /// The new paths of states by their old ones; each goes with all below it.
    package var map: [String: String]
    /// CEL over the old context, by the paths that get its values in the new one.
    package var assign: [String: String]
    /// Paths of states, and into the context, that the new version does without.
    package var drop: [String]
    package var timers: Timers
    /// Whether invocations end that the new version has not.
    package var cancelsInvocations: Bool

    package init(
        map: [String: String] = [:], assign: [String: String] = [:], drop: [String] = [], timers: Timers = .sinceEntry,
        cancelsInvocations: Bool = false
    ) {
        self.map = map
        self.assign = assign
        self.drop = drop
        self.timers = timers
        self.cancelsInvocations = cancelsInvocations
    }

    /// Reads what `json` gives; passes over what is none of it.
    package init(_ data: JSONValue?) {
        let object = data?.object
        func texts(_ key: String) -> [String: String] {
            let members = object?[key]?.object?.members ?? []
            return Dictionary(members.compactMap { member in member.value.string.map { (member.key, $0) } }) { $1 }
        }
        var drop: [String] = []
        if case .array(let paths)? = object?["drop"] { drop = paths.compactMap(\.string) }
        self.init(
            map: texts("map"), assign: texts("assign"), drop: drop,
            timers: object?["timers"]?.string.flatMap(Timers.init) ?? .sinceEntry,
            cancelsInvocations: object?["cancelInvocations"] == true)
    }

    /// As a row keeps it; what is as usual is left out.
    package var json: JSONObject {
        var object = JSONObject()
        if !map.isEmpty { object["map"] = .object(Self.object(map)) }
        if !assign.isEmpty { object["assign"] = .object(Self.object(assign)) }
        if !drop.isEmpty { object["drop"] = .array(drop.map(JSONValue.string)) }
        if timers != .sinceEntry { object["timers"] = .string(timers.rawValue) }
        if cancelsInvocations { object["cancelInvocations"] = true }
        return object
    }

    private static func object(_ texts: [String: String]) -> JSONObject {
        var object = JSONObject()
        for (key, value) in texts { object[key] = .string(value) }
        return object
    }
}

/// Something of an instance that another version has no place for.
package struct Misfit: Sendable, Hashable {
    /// The path of a state, `context.` and the path of a value, or the id of an invocation.
    package let place: String
    /// What is wrong, and what would help.
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

/// A plan that no instance of the two versions can follow.
package struct MigrationMistake: Error, Sendable, Equatable {
    package let message: String
}
