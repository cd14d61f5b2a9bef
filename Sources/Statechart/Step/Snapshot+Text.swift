import WorkflowJSON

extension Machine {
    /// Returns the paths of the active leaves in document order, for display.
    package func leafPaths(of configuration: [StateIndex]) -> [String] {
        if let path = pathOfOnlyLeaf(of: configuration) { return [path] }
        return configuration.filter { self[$0].isLeaf }.map { self[$0].path }
    }

    /// Returns the path of the last active state, which is the only leaf, if the machine has no parallel states.
    private func pathOfOnlyLeaf(of configuration: [StateIndex]) -> String? {
        guard plan != nil, let last = configuration.last, self[last].isLeaf else { return nil }
        return self[last].path
    }

    /// Returns true if a text is the stored form of a configuration. The check does not build the stored form.
    package func isText(_ text: String, of configuration: [StateIndex]) -> Bool {
        var rest = text.utf8[...]
        var isFirst = true
        for index in configuration where self[index].isLeaf {
            if !isFirst, rest.popFirst() != UInt8(ascii: ",") { return false }
            isFirst = false
            let path = self[index].path.utf8
            guard rest.starts(with: path) else { return false }
            rest = rest.dropFirst(path.count)
        }
        return rest.isEmpty
    }

    /// Returns the paths of states, in the given order.
    package func paths(of states: [StateIndex]) -> [String] {
        states.map { self[$0].path }
    }

    /// Returns the stored form of a configuration: the paths of its leaves, joined by commas.
    package func configurationText(of configuration: [StateIndex]) -> String {
        pathOfOnlyLeaf(of: configuration) ?? leafPaths(of: configuration).joined(separator: ",")
    }

    /// Returns the stored form of a snapshot.
    ///
    /// - Parameter positions: For an instance's row, the positions of the rows that armed the pending items, in the
    ///   same order; otherwise empty.
    package func text(of snapshot: Snapshot, positions: [Int64] = []) -> SnapshotText {
        SnapshotText(
            configuration: configurationText(of: snapshot.configuration), context: JSONWriter.string(snapshot.context),
            memory: text(of: snapshot.memory), armed: text(of: snapshot.armed, positions: positions),
            output: snapshot.output.map(JSONWriter.string))
    }

    /// Updates the stored form of a snapshot to the form of a later snapshot. The result equals `text(of:)`. Parts that
    /// no step has touched are not encoded again.
    package func update(
        _ text: inout SnapshotText, of previous: Snapshot, to snapshot: Snapshot, positions: [Int64] = []
    ) {
        if !snapshot.configuration.isSameMemory(as: previous.configuration) {
            text.configuration = configurationText(of: snapshot.configuration)
        }
        if !snapshot.context.members.isSameMemory(as: previous.context.members) {
            text.context = JSONWriter.string(snapshot.context)
        }
        if !snapshot.memory.isSameMemory(as: previous.memory) { text.memory = self.text(of: snapshot.memory) }
        if !snapshot.armed.isSameMemory(as: previous.armed) {
            text.armed = self.text(of: snapshot.armed, positions: positions)
        }
        text.output = snapshot.output.map(JSONWriter.string)
    }

    private func text(of memory: [HistoryMemory]) -> String {
        memory.isEmpty ? "{}" : JSONWriter.string(json(of: memory))
    }

    func json(of memory: [HistoryMemory]) -> JSONObject {
        var object = JSONObject()
        for remembered in memory {
            object[self[remembered.history].path] = .array(paths(of: remembered.states).map(JSONValue.string))
        }
        return object
    }

    /// Returns the configuration with these leaves; paths that the machine lacks are ignored.
    package func configuration(ofLeaves paths: [String]) -> [StateIndex] {
        configuration(ofLeaves: paths.compactMap(state(atPath:)))
    }

    private func configuration(ofLeaves leaves: [StateIndex]) -> [StateIndex] {
        if leaves.count == 1, let plan { return plan.configurations[leaves[0].offset] }
        var active: [StateIndex] = []
        for leaf in leaves {
            var next: StateIndex? = leaf
            while let index = next {
                let offset = active.firstOffset { $0 >= index }
                if offset < active.count, active[offset] == index { break }
                active.insert(index, at: offset)
                next = self[index].parent
            }
        }
        return active
    }

    /// Returns true if the states form a valid configuration: a tree from the root to leaves. The tree has one child of
    /// each compound state, and all regions of each parallel state.
    ///
    /// - Parameter active: The states in document order.
    package func isConfiguration(_ active: [StateIndex]) -> Bool {
        guard active.containsSorted(.root) else { return false }
        return active.allSatisfy { index in
            let state = self[index]
            guard state.parent.map(active.containsSorted) ?? true else { return false }
            return switch state.kind {
            case .atomic, .final: true
            case .compound: state.children.count { active.containsSorted($0) } == 1
            case .parallel: state.children.allSatisfy(active.containsSorted)
            case .shallowHistory, .deepHistory: false
            }
        }
    }

    /// Returns the snapshot of its stored form.
    package func snapshot(
        of text: SnapshotText, status: Snapshot.Status, seq: Int64
    ) throws(SnapshotTextError) -> Snapshot {
        var leaves: [StateIndex] = []
        for path in SnapshotText.leafPaths(in: text.configuration) { leaves.append(try state(stored: path)) }
        let context = try Self.object(text.context, "context")
        var memory: [HistoryMemory] = []
        let remembered = text.memory == "{}" ? JSONObject() : try Self.object(text.memory, "history memory")
        for member in remembered.members {
            guard case .array(let paths) = member.value else {
                throw SnapshotTextError(message: "the history memory of '\(member.key)' is no list")
            }
            var states: [StateIndex] = []
            for path in paths { states.append(try state(stored: path.string ?? "")) }
            let history = try state(stored: member.key)
            guard isMemory(states, of: history) else {
                throw SnapshotTextError(message: "'\(member.key)' remembers what it cannot")
            }
            memory.append(HistoryMemory(history: history, states: states))
        }
        memory.sort { $0.history < $1.history }
        let snapshot = Snapshot(
            seq: seq, status: status, configuration: configuration(ofLeaves: leaves), context: context, memory: memory,
            armed: text.armed == "[]" ? [] : try armed(text.armed, last: max(1, seq)),
            output: try text.output.map { text throws(SnapshotTextError) in try Self.value(text, "output") })
        try check(snapshot, of: text)
        return snapshot
    }

    /// Returns true if a history state can remember the states: each must lie below the history state's parent.
    private func isMemory(_ states: [StateIndex], of history: StateIndex) -> Bool {
        switch self[history].kind {
        case .atomic, .final, .compound, .parallel: return false
        case .shallowHistory, .deepHistory: break
        }
        return states.allSatisfy { state in
            var above = self[state].parent
            while let index = above, index != self[history].parent { above = self[index].parent }
            return above != nil && state != history
        }
    }

    /// Throws if no instance can have this snapshot; the step relies on valid snapshots.
    private func check(_ snapshot: Snapshot, of text: SnapshotText) throws(SnapshotTextError) {
        let isOver = snapshot.status == .done || snapshot.status == .cancelled
        guard isConfiguration(snapshot.configuration) || isOver && snapshot.configuration.isEmpty else {
            throw SnapshotTextError(message: "it cannot be in '\(text.configuration)'")
        }
        guard snapshot.armed.count(where: \.isKept) == (snapshot.status == .failed ? 1 : 0) else {
            throw SnapshotTextError(message: "it does not say what it has failed on")
        }
    }

    func state(stored path: String) throws(SnapshotTextError) -> StateIndex {
        guard let index = state(atPath: path) else {
            throw SnapshotTextError(message: "machine '\(name)' has no state '\(path)'")
        }
        return index
    }

    private static func object(_ text: String, _ what: String) throws(SnapshotTextError) -> JSONObject {
        if let object = try value(text, what).object { return object }
        throw SnapshotTextError(message: "the \(what) is not a JSON object")
    }

    static func value(_ text: String, _ what: String) throws(SnapshotTextError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.value(from: text)
        } catch {
            throw SnapshotTextError(message: "the \(what) is not JSON: \(error)")
        }
    }
}

extension SnapshotText {
    /// Returns the paths in a stored configuration.
    package static func leafPaths(in configuration: String) -> [String] {
        if !configuration.isEmpty, !configuration.utf8.contains(UInt8(ascii: ",")) { return [configuration] }
        return configuration.split(separator: ",").map(String.init)
    }
}

/// The error for a stored snapshot that is damaged or does not belong to the machine.
package struct SnapshotTextError: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}

extension Array {
    /// Returns true if both arrays share the same storage, so that they are equal; false proves nothing. O(1).
    fileprivate func isSameMemory(as other: [Element]) -> Bool {
        withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
        }
    }
}
