package import WorkflowJSON

/// The erasure of an instance's data, as its row of kind `redacted` records it: the erased places, never their values.
package struct Redaction: Sendable, Equatable {
    /// The most paths in one redaction.
    package static let paths = 200

    /// The macrosteps whose rows lose their data.
    package var seqs: SeqSet
    /// The context paths whose values are erased.
    package var paths: [String]
    /// True if the whole context and the output are erased.
    package var isWhole: Bool
    /// True if the item that the instance failed on loses its data.
    package var emptiesKept: Bool
    /// True if the instance has another name since the redaction.
    package var isRenamed: Bool
    /// The paths to erase in the data of the rows, such as `data.phone`; empty if the rows are erased completely.
    package var dataPaths: [String] = []
    /// The remaining data of the rows, by seq; empty if the rows are erased completely.
    package var left = JSONObject()

    package init(
        seqs: SeqSet, paths: [String] = [], isWhole: Bool = false, emptiesKept: Bool = false, isRenamed: Bool = false
    ) {
        self.seqs = seqs
        self.paths = paths
        self.isWhole = isWhole
        self.emptiesKept = emptiesKept
        self.isRenamed = isRenamed
    }

    /// Reads the value of `data`; returns `nil` for anything else.
    package init?(_ data: JSONValue?) {
        guard let object = data?.object else { return nil }
        var seqs = SeqSet()
        if let text = object["seqs"] {
            guard let read = text.string.flatMap({ SeqSet($0) }) else { return nil }
            seqs = read
        }
        var paths: [String] = []
        if case .array(let values)? = object["paths"] { paths = values.compactMap(\.string) }
        self.init(
            seqs: seqs, paths: paths, isWhole: object["context"] == true, emptiesKept: object["kept"] == true,
            isRenamed: object["name"] == true)
        if case .array(let values)? = object["data"] { dataPaths = values.compactMap(\.string) }
        left = object["left"]?.object ?? JSONObject()
    }

    /// The redaction as a row stores it.
    package var data: JSONValue {
        var object = JSONObject()
        if !seqs.isEmpty { object["seqs"] = .string(seqs.text) }
        if !paths.isEmpty { object["paths"] = .array(paths.map(JSONValue.string)) }
        if isWhole { object["context"] = true }
        if emptiesKept { object["kept"] = true }
        if isRenamed { object["name"] = true }
        if !dataPaths.isEmpty {
            object["data"] = .array(dataPaths.map(JSONValue.string))
            object["left"] = .object(left)
        }
        return .object(object)
    }

    /// The lines for a trace.
    var deeds: [String] {
        (isWhole ? ["redact context"] : []) + paths.map { "redact \($0)" }
    }
}

extension Redaction {
    /// Erases data in a snapshot. Unless the instance has finished, a key that the machine declares gets its initial
    /// value again. The initial value belongs to no person, and fits the key's type.
    func empty(_ snapshot: inout Snapshot, of machine: Machine) throws(ContextMistake) {
        guard paths.count <= Self.paths else {
            throw ContextMistake(message: "At most \(Self.paths) paths are redacted at a time")
        }
        if isWhole {
            let isFinished = snapshot.status == .done || snapshot.status == .cancelled
            snapshot.context = isFinished ? JSONObject() : machine.context
            snapshot.output = nil
        } else {
            for path in paths { try ContextPath(path).empty(&snapshot.context, of: machine) }
        }
        for place in snapshot.armed.indices {
            let pending = snapshot.armed[place]
            if seqs.contains(pending.id.seq) || emptiesKept && pending.isKept {
                snapshot.armed[place] = pending.emptied
            }
        }
    }
}

extension Redaction {
    /// Returns the data of a row without the values at some paths. Throws the reason if a path leads to no value.
    ///
    /// - Parameters:
    ///   - paths: The paths; each begins with `data`.
    ///   - isTolerant: True to ignore paths that lead to no value.
    package static func left(
        of data: JSONValue, without paths: [String], isTolerant: Bool = false
    ) throws(ContextMistake) -> JSONValue {
        var whole = JSONValue.object(["data": data])
        for text in paths {
            let path = try ContextPath(text)
            guard path.key == "data", path.steps.count > 1 else {
                throw ContextMistake(message: "'\(text)' is no path into the data of an event, such as data.phone")
            }
            do throws(ContextMistake) {
                whole = try ContextPath.removing(path.steps[...], from: whole, emptiesElements: true)
            } catch {
                if !isTolerant { throw error }
            }
        }
        return whole.object?["data"] ?? .null
    }
}

extension ContextPath {
    /// Erases the value at the path. A key that the machine declares gets its initial value, any other key is removed,
    /// and a list element becomes null.
    fileprivate func empty(_ context: inout JSONObject, of machine: Machine) throws(ContextMistake) {
        try checkWay(in: context, of: machine)
        if steps.count == 1 {
            context[key] = machine.context[key]
        } else {
            let emptied = try Self.removing(steps[...], from: .object(context), emptiesElements: true)
            context = emptied.object ?? context
        }
    }
}

extension Machine {
    /// Returns true if a redaction of a path would find a value.
    package func hasPath(_ path: String, in snapshot: Snapshot) -> Bool {
        var after = snapshot
        do throws(ContextMistake) {
            try Redaction(seqs: SeqSet(), paths: [path]).empty(&after, of: self)
            return true
        } catch {
            return false
        }
    }

    /// Erases data of the instance. The configuration stays, and no transition follows.
    ///
    /// - Parameter event: An event with the data of a `Redaction`.
    func redact(_ event: Event, in snapshot: Snapshot, _ mode: StepMode) -> Outcome {
        guard let redaction = Redaction(event.data) else {
            return .refused(.invalidData("The data does not say what is redacted"))
        }
        var after = snapshot
        do throws(ContextMistake) {
            try redaction.empty(&after, of: self)
        } catch {
            return .refused(.invalidData(error.message))
        }
        after.seq += 1
        return .accepted(
            Macrostep(snapshot: after, trace: trace(of: event, redaction.deeds, mode), cost: 1))
    }
}
