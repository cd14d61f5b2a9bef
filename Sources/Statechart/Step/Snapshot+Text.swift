import JSON

extension Machine {
    /// The paths of the active leaves, in document order: how a configuration is shown.
    package func leafPaths(of configuration: [StateIndex]) -> [String] {
        configuration.lazy.map { self[$0] }.filter(\.isLeaf).map(\.path)
    }

    /// The paths of some states, in the order given.
    package func paths(of states: [StateIndex]) -> [String] {
        states.map { self[$0].path }
    }

    /// The stored form of a snapshot.
    package func text(of snapshot: Snapshot) -> SnapshotText {
        var memory = JSONObject()
        for remembered in snapshot.memory {
            memory[self[remembered.history].path] = .array(paths(of: remembered.states).map(JSONValue.string))
        }
        return SnapshotText(
            configuration: leafPaths(of: snapshot.configuration).joined(separator: ","),
            context: JSONWriter.string(snapshot.context),
            memory: JSONWriter.string(memory))
    }

    /// The snapshot of its stored form.
    package func snapshot(of text: SnapshotText, status: Snapshot.Status) throws(SnapshotTextError) -> Snapshot {
        var active: Set<StateIndex> = []
        for path in SnapshotText.leafPaths(in: text.configuration) {
            var next: StateIndex? = try state(stored: path)
            while let index = next, active.insert(index).inserted { next = self[index].parent }
        }
        let context = try Self.object(text.context, "context")
        var memory: [HistoryMemory] = []
        for member in try Self.object(text.memory, "history memory").members {
            guard case .array(let paths) = member.value else {
                throw SnapshotTextError(message: "the history memory of '\(member.key)' is no list")
            }
            var states: [StateIndex] = []
            for path in paths { states.append(try state(stored: path.string ?? "")) }
            memory.append(HistoryMemory(history: try state(stored: member.key), states: states))
        }
        memory.sort { $0.history < $1.history }
        return Snapshot(status: status, configuration: active.sorted(), context: context, memory: memory)
    }

    private func state(stored path: String) throws(SnapshotTextError) -> StateIndex {
        guard let index = state(atPath: path) else {
            throw SnapshotTextError(message: "machine '\(name)' has no state '\(path)'")
        }
        return index
    }

    private static func object(_ text: String, _ what: String) throws(SnapshotTextError) -> JSONObject {
        do throws(JSONError) {
            if let object = try JSONReader.value(from: text).object { return object }
        } catch {
            throw SnapshotTextError(message: "the \(what) is not JSON: \(error)")
        }
        throw SnapshotTextError(message: "the \(what) is not a JSON object")
    }
}

extension SnapshotText {
    /// The paths in a stored configuration.
    package static func leafPaths(in configuration: String) -> [String] {
        configuration.split(separator: ",").map(String.init)
    }
}

/// A stored snapshot does not belong to the machine, or is damaged.
package struct SnapshotTextError: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}
