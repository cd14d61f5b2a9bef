package import WorkflowJSON

/// A plan for migrating instances of one machine version to another.
package struct MigrationPlan: Sendable, Hashable {
    /// The start of the delays of timers that the instance did not have before.
    package enum Timers: String, Sendable, CaseIterable {
        /// The delays count from the instance's entry into its state.
        case sinceEntry = "since-entry"
        case fromNow = "from-now"
    }

    /// The most paths in each of `map`, `assign` and `drop`.
    package static let paths = 200

    /// The new paths of states by old path; each entry also applies to the state's descendants.
    package var map: [String: String]
    /// CEL expressions over the old context, by the path that receives the value in the new context.
    package var assign: [String: String]
    /// The paths of states and context values that the new version no longer has.
    package var drop: [String]
    package var timers: Timers
    /// True if running invocations that the new version lacks are cancelled.
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

    /// Reads the value of `json`; ignores everything else.
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

    /// The plan as a row stores it, without default values.
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

/// A part of an instance that has no place in another version.
package struct Misfit: Sendable, Hashable {
    /// The path of a state, `context.` with the path of a value, or the id of an invocation.
    package let place: String
    /// The problem and its remedy.
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

/// The error for a plan that no instance of the two versions can follow.
package struct MigrationMistake: Error, Sendable, Equatable {
    package let message: String
}
