import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Why an instance could not take an event that nobody waits for, as its history and its row keep it.
///
/// It names what the definition says and never a value of the instance's data.
package struct RecordedFailure: Sendable, Hashable {
    /// What kind of failure this is; the raw values are types of problems.
    package enum Kind: String, Sendable {
        case expressionFailed = "expression-failed"
        case livelock
    }

    /// Bytes of a note at most.
    static let longestNote = 1_024

    package let kind: Kind
    package let event: String
    /// The path of the state that the failed expression belongs to, empty for the root; nil of a livelock, as is what
    /// follows.
    package let state: String?
    /// Of the definition.
    package let line: Int?
    /// What failed, as the definition has it.
    package let expression: String?
    package let message: String

    /// Nil for refusals that only an event from outside meets.
    ///
    /// - Parameter refusal: What the step said of an event that nobody waits for.
    init?(_ refusal: Refusal, of event: String, in machine: Machine) {
        self.event = event
        switch refusal {
        case .expressionFailed(let failure):
            kind = .expressionFailed
            state = machine[failure.state].path
            line = failure.line
            expression = failure.expression
            message = failure.discreet
        case .livelock(let states):
            kind = .livelock
            state = nil
            line = nil
            expression = nil
            message = Refusal.livelock(of: states, in: machine)
        case .unknownEvent, .notAccepted, .guardRejected, .finished, .failed, .suspended, .invalidData: return nil
        }
    }

    /// Reads what `note` has under `failure`; nil when it is no failure.
    package init?(_ json: JSONValue) {
        guard let object = json.object, case .string(let type)? = object["type"], let kind = Kind(rawValue: type),
            case .string(let event)? = object["event"], case .string(let message)? = object["message"]
        else { return nil }
        self.kind = kind
        self.event = event
        self.message = message
        if case .string(let text)? = object["state"] { state = text } else { state = nil }
        if case .string(let text)? = object["expression"] { expression = text } else { expression = nil }
        if case .int(let number)? = object["line"] { line = Int(exactly: number) } else { line = nil }
    }

    /// What the note of a row says of a failure; nil when it says nothing of one.
    package init?(note: String?) {
        guard let failure = RowNote(note).failure else { return nil }
        self = failure
    }

    /// Why the instance has failed whose state a reset brings back; nil when it has not.
    ///
    /// - Parameter data: Of the row.
    init?(ofReset data: JSONValue?) {
        guard let failure = data?.object?["failure"] else { return nil }
        self.init(failure)
    }

    /// For people: `'count' was undone: 'assign n: 1 / context.by' of state 'idle', line 8, failed: division by zero`.
    ///
    /// - Parameter machine: The machine's name.
    package func detail(machine: MachineName) -> String {
        guard let expression, let state, let line else { return "'\(event)' was undone: \(message)" }
        let place = state.isEmpty ? "machine '\(machine)'" : "state '\(state)'"
        return "'\(event)' was undone: '\(expression)' of \(place), line \(line), failed: \(message)"
    }

    /// What the instance keeps while it has failed.
    ///
    /// - Parameters:
    ///   - seq: Of the row.
    ///   - at: Of the row.
    func text(seq: Seq, at: Timestamp) -> String {
        guard var object = fitted.object else { return "{}" }
        object["seq"] = .int(seq.rawValue)
        object["at"] = .int(at.rawValue)
        return JSONWriter.string(JSONValue.object(object))
    }

    /// Whether two runs of the same step failed alike. What a message says may differ between releases.
    func isAlike(_ other: RecordedFailure?) -> Bool {
        guard let other else { return false }
        let (mine, theirs) = (RecordedFailure(fitted), RecordedFailure(other.fitted))
        return mine?.kind == theirs?.kind && mine?.event == theirs?.event && mine?.state == theirs?.state
            && mine?.line == theirs?.line && mine?.expression == theirs?.expression
    }

    /// Long texts are cut, all to the same length, until the note fits.
    fileprivate var fitted: JSONValue {
        var longest = Self.longestNote
        var json = json(atMost: longest)
        while JSONWriter.string(JSONValue.object(["failure": json])).utf8.count > Self.longestNote {
            longest = longest * 3 / 4
            json = self.json(atMost: longest)
        }
        return json
    }

    private func json(atMost longest: Int) -> JSONValue {
        var object = JSONObject()
        object["type"] = .string(kind.rawValue)
        object["event"] = .string(Self.cut(event, longest))
        object["message"] = .string(Self.cut(message, longest))
        object["state"] = state.map { .string(Self.cut($0, longest)) }
        object["line"] = line.map { .int(Int64($0)) }
        object["expression"] = expression.map { .string(Self.cut($0, longest)) }
        return .object(object)
    }

    private static func cut(_ text: String, _ longest: Int) -> String {
        if text.utf8.count <= longest { return text }
        var kept = ""
        for scalar in text.unicodeScalars {
            if kept.utf8.count + UTF8.width(scalar) > longest { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept + "…"
    }

    /// Nil for a text that no engine wrote.
    static func object(_ text: String) -> JSONObject? {
        do throws(JSONError) {
            return try JSONReader.value(from: text).object
        } catch {
            return nil
        }
    }
}

/// What a row of the journal says beside its event.
struct RowNote: Equatable {
    /// Why the instance failed.
    var failure: RecordedFailure?
    /// The invocation whose end the row is.
    var result: Pending.ID?
    /// What the person said who asked for it.
    var reason: String?
    /// The run over many instances that it is a part of.
    var run: String?
    /// Which exit action failed when the instance was cancelled.
    var exit: RecordedFailure?

    init(
        failure: RecordedFailure? = nil, result: Pending.ID? = nil, reason: String? = nil,
        run: String? = nil, exit: RecordedFailure? = nil
    ) {
        self.run = run
        self.exit = exit
        self.failure = failure
        self.result = result
        self.reason = reason
    }

    /// Reads a stored note; what it does not know is not there.
    init(_ text: String?) {
        guard let text, let object = RecordedFailure.object(text) else { return }
        failure = object["failure"].flatMap { RecordedFailure($0) }
        reason = object["reason"]?.string
        run = object["run"]?.string
        exit = object["exit"].flatMap { RecordedFailure($0) }
        guard let id = object["invoke"]?.object, case .int(let seq)? = id["seq"], case .int(let number)? = id["number"]
        else { return }
        result = Pending.ID(seq: seq, number: Int(number))
    }

    /// What the row keeps: of a failure `RecordedFailure.longestNote` bytes at most. Nil when there is nothing to say.
    var text: String? {
        var object = JSONObject()
        object["failure"] = failure?.fitted
        object["invoke"] = result.map { .object(["number": .int(Int64($0.number)), "seq": .int($0.seq)]) }
        object["reason"] = reason.map(JSONValue.string)
        object["run"] = run.map(JSONValue.string)
        object["exit"] = exit?.fitted
        return object.isEmpty ? nil : JSONWriter.string(JSONValue.object(object))
    }
}
