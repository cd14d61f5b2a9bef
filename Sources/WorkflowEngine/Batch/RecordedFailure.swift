import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Why an instance could not take an event that nobody waits for, as its history and its row keep it.
///
/// It names what the definition says and never a value of the instance's data, but for `error`, which is not kept here.
package struct RecordedFailure: Sendable, Hashable {
    /// What kind of failure this is; the raw values are types of problems.
    package enum Kind: String, CaseIterable, Sendable {
        case expressionFailed = "expression-failed"
        /// An invocation failed for good, and no transition took that.
        case invocationFailed = "invocation-failed"
        case livelock

        /// The kind that rows say. Of an invocation they have always said that an expression failed; the message tells
        /// the two apart.
        fileprivate var stored: Kind { self == .invocationFailed ? .expressionFailed : self }

        /// The kind of what a row says.
        fileprivate init(_ stored: Kind, _ message: String) {
            self = stored == .expressionFailed && ActionFailure.isOfInvocation(message) ? .invocationFailed : stored
        }
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
    /// How the last attempt of a failed invocation ended; nil of all else, and where nobody has said it or it was
    /// erased. It is the data of the event, and may quote what a service has said: rows and instances keep it there
    /// alone.
    package private(set) var error: InvocationError?

    /// Nil for refusals that only an event from outside meets.
    ///
    /// - Parameter refusal: What the step said of an event that nobody waits for.
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

    /// Reads what `note` has under `failure`; nil when it is no failure.
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

    /// The same with the error of the invocation that failed; of all else, as it is.
    ///
    /// - Parameter error: That the instance keeps.
    func caused(by error: @autoclosure () -> InvocationError?) -> RecordedFailure {
        guard kind == .invocationFailed else { return self }
        var failure = self
        failure.error = error()
        return failure
    }

    /// For those who may see the instance: of a failed invocation it says how the last attempt ended.
    package var reason: String { error?.reason(of: event) ?? message }

    /// For people: `'count' was undone: 'assign n: 1 / context.by' of state 'idle', line 8, failed: division by zero`.
    ///
    /// - Parameter machine: The machine's name.
    package func detail(machine: MachineName) -> String {
        guard let expression, let state, let line else { return "'\(event)' was undone: \(reason)" }
        let place = state.isEmpty ? "machine '\(machine)'" : "state '\(state)'"
        return "'\(event)' was undone: '\(expression)' of \(place), line \(line), failed: \(reason)"
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
        return mine?.kind.stored == theirs?.kind.stored && mine?.event == theirs?.event && mine?.state == theirs?.state
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
        object["type"] = .string(kind.stored.rawValue)
        object["event"] = .string(event.cut(toBytes: longest))
        object["message"] = .string(message.cut(toBytes: longest))
        object["state"] = state.map { .string($0.cut(toBytes: longest)) }
        object["line"] = line.map { .int(Int64($0)) }
        object["expression"] = expression.map { .string($0.cut(toBytes: longest)) }
        return .object(object)
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
    /// The row's timer came too late.
    var skipped: SkippedTimer?

    init(
        failure: RecordedFailure? = nil, result: Pending.ID? = nil, reason: String? = nil,
        run: String? = nil, exit: RecordedFailure? = nil, skipped: SkippedTimer? = nil
    ) {
        self.skipped = skipped
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
        skipped = object["skipped"].flatMap { SkippedTimer($0) }
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
        object["skipped"] = skipped?.json
        return object.isEmpty ? nil : JSONWriter.string(JSONValue.object(object))
    }
}

extension SkippedTimer {
    /// Reads a note; nil for a note that no engine wrote.
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

/// The event that a failed instance could not take, and why.
package struct InstanceFailure: Sendable {
    package let reason: RecordedFailure
    /// The event's.
    package let data: JSONValue?
    /// The name of the machine.
    package let machine: MachineName
    /// Of the row that records it.
    package let seq: Seq
    /// Of the row that records it.
    package let at: Timestamp
}
