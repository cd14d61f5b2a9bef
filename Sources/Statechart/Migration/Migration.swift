import WorkflowCEL
import WorkflowJSON
import WorkflowSpelling

/// A migration plan, checked against its two versions.
package final class Migration: Sendable {
    package let plan: MigrationPlan
    package let old: Machine
    /// The number of the old version, which expressions see.
    package let oldVersion: Int64
    package let new: Machine
    package let newVersion: Int64
    /// The states of the new version that stand for the old states, by index of the old state; `nil` for removed
    /// states.
    let images: [StateIndex?]
    /// The states of the old version that are dropped, including all their descendants.
    let dropped: Set<StateIndex>
    /// The assignments to the new context, sorted by the bytes of their paths.
    let assignments: [(path: ContextPath, program: Program)]
    /// The paths that are removed from the old context.
    let unset: [ContextPath]
    /// The plan as rows store it, with both version numbers.
    let data: JSONObject

    package init(
        _ plan: MigrationPlan, from old: Machine, version oldVersion: Int64, to new: Machine,
        version newVersion: Int64
    ) throws(MigrationMistake) {
        let (states, unset) = try Self.drops(plan.drop, of: old, version: oldVersion, new: new)
        self.plan = plan
        self.old = old
        self.oldVersion = oldVersion
        self.new = new
        self.newVersion = newVersion
        self.unset = unset
        var data = plan.json
        data["from"] = .int(oldVersion)
        data["to"] = .int(newVersion)
        self.data = data
        dropped = Set(
            states.flatMap { state in old.states[state.offset...old[state].lastDescendant.offset].map(\.index) })
        assignments = try Self.assignments(plan.assign, to: new, version: newVersion)
        try Self.check(plan.map, from: old, oldVersion, to: new, newVersion)
        images = old.states.map { state in new.state(atPath: Self.target(of: state.index, in: old, plan.map)) }
    }

    /// Returns the path in the new version that a state of the old version leads to. The map entry of the state itself,
    /// or of its nearest mapped ancestor, applies. Ancestors are found by index, not by path: keys may contain dots.
    static func target(of state: StateIndex, in old: Machine, _ map: [String: String]) -> String {
        let path = old[state].path
        if map.isEmpty { return path }
        var next: StateIndex? = state
        while let above = next {
            let part = old[above].path
            if let target = map[part] { return target + path.dropFirst(part.count) }
            next = old[above].parent
        }
        return path
    }

    private static func check(
        _ map: [String: String], from old: Machine, _ oldVersion: Int64, to new: Machine, _ newVersion: Int64
    ) throws(MigrationMistake) {
        try checkCount(map.count, "map")
        for (path, target) in map.sorted(by: { $0.key < $1.key }) {
            guard !path.isEmpty, old.state(atPath: path) != nil else {
                throw old.unknown(path, version: oldVersion)
            }
            guard !target.isEmpty, let state = new.state(atPath: target) else {
                throw new.unknown(target, version: newVersion)
            }
            if new[state].isHistory, old.state(atPath: path).map({ old[$0].isHistory }) != true {
                throw MigrationMistake(
                    message: "'\(target)' is a history state of version \(newVersion); name a state that can be active")
            }
        }
    }

    private static func checkCount(_ count: Int, _ what: String) throws(MigrationMistake) {
        guard count <= MigrationPlan.paths else {
            throw MigrationMistake(message: "'\(what)' has at most \(MigrationPlan.paths) paths")
        }
    }

    /// Splits paths into states of the old version and values of the context. A path names a state if the old version
    /// has that state. A key that neither version declares may remain from an earlier version; its path must begin with
    /// `context.`.
    private static func drops(
        _ paths: [String], of old: Machine, version: Int64, new: Machine
    ) throws(MigrationMistake) -> (states: [StateIndex], unset: [ContextPath]) {
        try checkCount(paths.count, "drop")
        var states: [StateIndex] = []
        var unset: [ContextPath] = []
        for path in paths {
            if !path.isEmpty, let state = old.state(atPath: path) {
                states.append(state)
            } else {
                let found = try contextPath(path)
                guard path.hasPrefix(contextPrefix) || old.context[found.key] != nil || new.context[found.key] != nil
                else { throw old.unknownDrop(path, version: version) }
                unset.append(found)
            }
        }
        return (states, unset)
    }

    private static let contextPrefix = "context."

    /// Reads `total` or `context.total`.
    private static func contextPath(_ text: String) throws(MigrationMistake) -> ContextPath {
        do throws(ContextMistake) {
            return try ContextPath(
                text.hasPrefix(contextPrefix) ? String(text.dropFirst(contextPrefix.count)) : text)
        } catch {
            throw MigrationMistake(message: error.message)
        }
    }

    private static func assignments(
        _ assign: [String: String], to new: Machine, version: Int64
    ) throws(MigrationMistake) -> [(path: ContextPath, program: Program)] {
        try checkCount(assign.count, "assign")
        // Expressions may read values that earlier versions left in a context, whatever this version declares.
        var environment = Vocabulary.environment(contextKeys: nil)
        environment.version = new.semantics.language
        var assignments: [(path: ContextPath, program: Program)] = []
        for (text, source) in assign.sorted(by: { $0.key.precedes($1.key) }) {
            let path = try contextPath(text)
            guard new.context[path.key] != nil else {
                let meant = Spelling.closest(to: path.key, among: new.context.keys).map { "; did you mean '\($0)'?" }
                throw MigrationMistake(
                    message: "The context of version \(version) has no key '\(path.key)'\(meant ?? "")")
            }
            let compilation = Program.compile(source, in: environment)
            guard let program = compilation.program else {
                let reason = compilation.issues.first?.message ?? "it cannot be compiled"
                throw MigrationMistake(message: "'\(text)' cannot be assigned: \(reason)")
            }
            assignments.append((path, program))
        }
        return assignments
    }
}

extension String {
    fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Machine {
    fileprivate func unknown(_ path: String, version: Int64) -> MigrationMistake {
        let meant = closestState(to: path).map { "; did you mean '\($0)'?" } ?? ""
        return MigrationMistake(message: "Version \(version) of '\(name)' has no state '\(path)'\(meant)")
    }

    fileprivate func unknownDrop(_ path: String, version: Int64) -> MigrationMistake {
        let key = Spelling.closest(to: path, among: context.keys)
        let meant = (closestState(to: path) ?? key).map { "; did you mean '\($0)'?" } ?? ""
        return MigrationMistake(
            message: "Version \(version) of '\(name)' has no state and no key of the context '\(path)'\(meant) "
                + "(one that an earlier version has left: 'context.\(path)')")
    }

    /// Returns the path of the state that is probably meant: the only state with the same key, or one with similar
    /// spelling.
    func closestState(to path: String) -> String? {
        let paths = states.dropFirst().filter { !$0.isHistory }.map(\.path)
        let key = "." + (path.split(separator: ".").last.map(String.init) ?? path)
        let alike = paths.filter { ("." + $0).hasSuffix(key) }
        return alike.count == 1 ? alike[0] : Spelling.closest(to: path, among: paths)
    }
}
