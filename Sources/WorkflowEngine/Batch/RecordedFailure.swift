import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The reason why an instance could not take an event that has no waiting caller, as its history and its row keep it.
///
/// The failure quotes the definition and never a value of the instance's data, except in `error`, which is not stored
/// here.
package struct RecordedFailure: Sendable, Hashable {
    /// The kind of failure; the raw values are types of problems.
    package enum Kind: String, CaseIterable, Sendable {
        case expressionFailed = "expression-failed"
        /// An invocation failed for good, and no transition took its failure.
        case invocationFailed = "invocation-failed"
        case livelock

        /// The kind that rows store. Rows have always stored failed invocations as failed expressions; the message
        /// distinguishes the two.
        fileprivate var stored: Kind { self == .invocationFailed ? .expressionFailed : self }

        /// Creates the kind from the kind and the message of a row.
        fileprivate init(_ stored: Kind, _ message: String) {
            self = stored == .expressionFailed && ActionFailure.isOfInvocation(message) ? .invocationFailed : stored
        }
    }

    /// The greatest number of bytes of a note.
    static let longestNote = 1_024

    package let kind: Kind
    package let event: String
    /// The path of the state that the failed expression belongs to, empty for the root. `nil` for a livelock, as are
    /// the line and the expression.
    package let state: String?
    /// The line in the definition.
    package let line: Int?
    /// The part of the definition that failed.
    package let expression: String?
    package let message: String
    /// The end of the last attempt of a failed invocation. `nil` for other failures, and if the end was not reported or
    /// was erased. The error is the data of the event, and may quote a service's answer: rows and instances keep the
    /// error only there.
    package private(set) var error: InvocationError?

    /// Creates the failure of a refusal; `nil` for refusals that only an event from outside meets.
    ///
    /// - Parameter refusal: The refusal of an event that has no waiting caller.
    init?(_ refusal: Refusal, of event: String, in machine: Machine) {
        self.event = event
        switch refusal {
        case .expressionFailed(let failure):
            kind = Kind(.expressionFailed, failure.discreet)
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

    /// Reads the JSON under `failure` in a `note`; `nil` if it is no failure.
    package init?(_ json: JSONValue) {
        guard let object = json.object, case .string(let type)? = object["type"], let kind = Kind(rawValue: type),
            case .string(let event)? = object["event"], case .string(let message)? = object["message"]
        else { return nil }
        self.kind = Kind(kind, message)
        self.event = event
        self.message = message
        if case .string(let text)? = object["state"] { state = text } else { state = nil }
        if case .string(let text)? = object["expression"] { expression = text } else { expression = nil }
        if case .int(let number)? = object["line"] { line = Int(exactly: number) } else { line = nil }
    }

    /// Reads the failure in the note of a row; `nil` if the note has none.
    package init?(note: String?) {
        guard let failure = RowNote(note).failure else { return nil }
        self = failure
    }

    /// Reads the failure of the instance whose state a reset brings back; `nil` if that instance had not failed.
    ///
    /// - Parameter data: The data of the row.
    init?(ofReset data: JSONValue?) {
        guard let failure = data?.object?["failure"] else { return nil }
        self.init(failure)
    }

    /// Returns the failure with the error of the invocation that failed; other failures are returned unchanged.
    ///
    /// - Parameter error: The error that the instance keeps.
    func caused(by error: @autoclosure () -> InvocationError?) -> RecordedFailure {
        guard kind == .invocationFailed else { return self }
        var failure = self
        failure.error = error()
        return failure
    }

    /// The reason, for those who may see the instance; for a failed invocation, the end of the last attempt.
    package var reason: String { error?.reason(of: event) ?? message }

    /// Returns the text for people: `'count' was undone: 'assign n: 1 / context.by' of state 'idle', line 8, failed:
    /// division by zero`.
    ///
    /// - Parameter machine: The machine's name.
    package func detail(machine: MachineName) -> String {
        guard let expression, let state, let line else { return "'\(event)' was undone: \(reason)" }
        let place = state.isEmpty ? "machine '\(machine)'" : "state '\(state)'"
        return "'\(event)' was undone: '\(expression)' of \(place), line \(line), failed: \(reason)"
    }

    /// Returns the text that the instance keeps while it has failed.
    ///
    /// - Parameters:
    ///   - seq: The seq of the row.
    ///   - at: The time of the row.
    func text(seq: Seq, at: Timestamp) -> String {
        guard var object = fitted.object else { return "{}" }
        object["seq"] = .int(seq.rawValue)
        object["at"] = .int(at.rawValue)
        return JSONWriter.string(JSONValue.object(object))
    }

    /// Returns true if two runs of the same step failed in the same way. Messages may differ between releases and are
    /// not compared.
    func isAlike(_ other: RecordedFailure?) -> Bool {
        guard let other else { return false }
        let (mine, theirs) = (RecordedFailure(fitted), RecordedFailure(other.fitted))
        return mine?.kind.stored == theirs?.kind.stored && mine?.event == theirs?.event && mine?.state == theirs?.state
            && mine?.line == theirs?.line && mine?.expression == theirs?.expression
    }

    /// The failure with long texts cut, all to the same length, until the note fits.
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
        object["type"] = .string(kind.stored.rawValue)
        object["event"] = .string(event.cut(toBytes: longest))
        object["message"] = .string(message.cut(toBytes: longest))
        object["state"] = state.map { .string($0.cut(toBytes: longest)) }
        object["line"] = line.map { .int(Int64($0)) }
        object["expression"] = expression.map { .string($0.cut(toBytes: longest)) }
        return .object(object)
    }

    /// Parses a stored text; `nil` for a text that no engine wrote.
    static func object(_ text: String) -> JSONObject? {
        do throws(JSONError) {
            return try JSONReader.value(from: text).object
        } catch {
            return nil
        }
    }
}

/// The facts that a journal row keeps beside its event.
struct RowNote: Equatable {
    /// The reason why the instance failed.
    var failure: RecordedFailure?
    /// The invocation whose end the row is.
    var result: Pending.ID?
    /// The reason that the caller gave.
    var reason: String?
    /// The bulk run that the row is a part of.
    var run: String?
    /// The exit action that failed when the instance was cancelled.
    var exit: RecordedFailure?
    /// The lateness of the row's timer, if the timer came too late.
    var skipped: SkippedTimer?
}

extension RowNote {
    /// Reads a stored note; skips everything unknown.
    init(_ text: String?) {
        guard let text, let object = RecordedFailure.object(text) else { return }
        failure = object["failure"].flatMap { RecordedFailure($0) }
        reason = object["reason"]?.string
        run = object["run"]?.string
        exit = object["exit"].flatMap { RecordedFailure($0) }
        skipped = object["skipped"].flatMap { SkippedTimer($0) }
        guard let id = object["invoke"]?.object, case .int(let seq)? = id["seq"], case .int(let number)? = id["number"]
        else { return }
        result = Pending.ID(seq: seq, number: Int(number))
    }

    /// The text that the row keeps, with at most `RecordedFailure.longestNote` bytes of a failure. `nil` if the note is
    /// empty.
    var text: String? {
        var object = JSONObject()
        object["failure"] = failure?.fitted
        object["invoke"] = result.map { .object(["number": .int(Int64($0.number)), "seq": .int($0.seq)]) }
        object["reason"] = reason.map(JSONValue.string)
        object["run"] = run.map(JSONValue.string)
        object["exit"] = exit?.fitted
        object["skipped"] = skipped?.json
        return object.isEmpty ? nil : JSONWriter.string(JSONValue.object(object))
    }
}

extension SkippedTimer {
    /// Reads a note; `nil` for a note that no engine wrote.
    fileprivate init?(_ json: JSONValue) {
        guard let object = json.object, case .int(let late)? = object["lateMilliseconds"] else { return nil }
        self.init(lateMilliseconds: late, isRearmed: object["rearmed"] == true)
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["lateMilliseconds": .int(lateMilliseconds)]
        if isRearmed { object["rearmed"] = true }
        return .object(object)
    }
}
