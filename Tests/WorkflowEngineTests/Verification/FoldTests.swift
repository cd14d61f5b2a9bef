import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests folds of rows. A row records the event; the instance before it shows which pending item that was.
@Suite struct FoldTests {
    private static let definition = """
        id: m
        initial: a
        context: {by: 0}
        states:
          a:
            entry:
            - {send: {event: later, delay: 2s}}
            - {send: {event: soon, delay: 1s, data: {n: 1}}}
            on:
              soon: {actions: {log: 1 / context.by}}
              later: b
          b: {}
        """
    private let machine: Machine
    private var fold: Fold
    private static let record = InstanceRecord(
        id: InstanceID(rawValue: 1), uuid: UniqueID(bytes: Array(repeating: 1, count: 16)), namespace: .default,
        name: "i", machineID: MachineID(rawValue: 1), status: .running, seq: Seq(rawValue: 1),
        head: Position(rawValue: 1),
        state: SnapshotText(configuration: "a", context: "{}", memory: "{}"), entered: Timestamp(rawValue: 0),
        salt: Salt(bytes: Array(repeating: 2, count: 16)), digest: .zero, created: Timestamp(rawValue: 0),
        updated: Timestamp(rawValue: 0))

    init() throws {
        machine = try DefinitionReader.read(Self.definition).machine
        fold = Fold(of: Self.record)
        #expect(mistake(Self.row(1, .started, "init", at: 0)) == nil)
    }

    private static func row(
        _ seq: Int64, _ kind: JournalKind, _ event: String, data: String? = nil, at: Int64, to: String = "a"
    ) -> JournalRecord {
        JournalRecord(
            position: Position(rawValue: seq), instanceID: InstanceID(rawValue: 1), machineID: MachineID(rawValue: 1),
            seq: Seq(rawValue: seq), previous: nil, at: Timestamp(rawValue: at), real: nil, kind: kind, event: event,
            data: data, from: "a", to: to, actor: nil, key: nil, digest: .zero)
    }

    /// Applies the next row. Returns the reason why it does not fit; `nil` if it does.
    private mutating func mistake(_ row: JournalRecord) -> String? {
        do throws(FoldError) {
            try fold.apply(row, machine: machine, version: 1)
            return nil
        } catch {
            return error.message
        }
    }

    @Test mutating func whatComesNextIsTaken() {
        #expect(
            mistake(Self.row(2, .timer, "later", at: 2_000, to: "b")) == "timer 'soon' would have fired before")
        #expect(
            mistake(Self.row(2, .timer, "nobody", at: 900)) == "'nobody' came by itself, but would not be waiting")
        #expect(mistake(Self.row(2, .sent, "soon", at: 1_000)) == "timer 'soon' would have fired before")
        #expect(
            mistake(Self.row(2, .failed, "soon", data: #"{"n":2}"#, at: 1_000))
                == "the data of 'soon' is not what was armed")
        #expect(
            mistake(Self.row(2, .failed, "soon", data: #"{"n":1}"#, at: 999)) == "'soon' is recorded before it was due")
        #expect(mistake(Self.row(2, .timer, "soon", data: #"{"n":1}"#, at: 1_000))?.hasSuffix("refuses it") == true)
        #expect(mistake(Self.row(2, .failed, "soon", data: #"{"n":1}"#, at: 1_000)) == nil)
    }

    /// The item that an instance failed on need not be the next one: a stored snapshot shows which it was.
    @Test(arguments: [("later", true), ("soon", false)])
    mutating func whatWasKeptIsRetried(event: String, fits: Bool) throws {
        let armed = """
            [{"due":1000,"event":"soon","kind":"timer","number":2,"seq":1},\
            {"due":2000,"event":"later","kept":true,"kind":"timer","number":1,"seq":1}]
            """
        let stored = SnapshotRecord(
            instanceID: InstanceID(rawValue: 1), seq: Seq(rawValue: 256), position: Position(rawValue: 256),
            status: .failed,
            state: SnapshotText(configuration: "a", context: #"{"by":1}"#, memory: "{}", armed: armed),
            salt: Salt(bytes: Array(repeating: 2, count: 16)), digest: .zero)
        fold = try Fold(of: Self.record, after: stored, machine: machine, version: 1)
        let row = Self.row(257, .retried, event, at: 3_000, to: fits ? "b" : "a")
        #expect((mistake(row) == nil) == fits)
    }

    /// A later limit does not change earlier rows, whether they were accepted or failed. A version that always had the
    /// limit has no row beyond it.
    @Test(arguments: [JournalKind.timer, .failed], [Semantics.first, .second])
    func whatWasRecordedWasWithinTheBoundsOfItsTime(kind: JournalKind, semantics: Semantics) throws {
        let machine = try DefinitionReader.read(
            """
            id: m
            initial: a
            context: {blob: '\(String(repeating: "x", count: 512 << 10))', n: 0}
            states:
              a:
                entry: {send: {event: soon, delay: 1s}}
                on:
                  soon:
                    actions:
                      foreach: {array: lists.range(12), item: n, actions: [{raise: {event: e, data: context.blob}}]}
            """, semantics: semantics
        ).machine
        var fold = Fold(of: Self.record)
        try fold.apply(Self.row(1, .started, "init", at: 0), machine: machine, version: 1)
        // This step raises 6 MiB of events.
        let row = Self.row(2, kind, "soon", at: 1_000)
        if semantics == .second, kind == .timer {
            #expect(throws: FoldError.self) { try fold.apply(row, machine: machine, version: 1) }
        } else {
            try fold.apply(row, machine: machine, version: 1)
            #expect(fold.snapshot?.status == (kind == .failed ? .failed : .running))
        }
    }

    /// Since transitions and writes cost units, the budget is used up earlier than before. A row of either time fails
    /// where it says.
    @Test func whatFailedFailsWhereItFailed() throws {
        let machine = try DefinitionReader.read(
            """
            id: m
            initial: a
            context: {blob: '\(String(repeating: "x", count: 512 << 10))', n: 0}
            states:
              a:
                entry: {send: {event: soon, delay: 1s}}
                on:
                  soon:
                    actions:
                    - foreach: {array: lists.range(6), item: n, actions: [{raise: {event: e, data: context.blob}}]}

            """
                // Each assignment takes at least 10,000 units.
                + String(repeating: "        - assign: {n: \"size(lists.range(10000).map(i, i))\"}\n", count: 100),
            semantics: .first
        ).machine
        var begun = Fold(of: Self.record)
        try begun.apply(Self.row(1, .started, "init", at: 0), machine: machine, version: 1)
        let before = try #require(begun.snapshot)
        let soon = try #require(before.armed.next)
        let identity = InstanceIdentity(name: "i", version: 1, startedAt: .zero)
        let failures = try [StepBounds.live, .recorded].map { bounds in
            let outcome = machine.apply(.coming(soon, at: soon.due), to: before, as: identity, within: bounds)
            guard case .failed(_, .expressionFailed(let failure)) = outcome else { throw Refusal.notAccepted }
            return failure
        }
        #expect(failures[0].line < failures[1].line)
        for failure in failures {
            let note: JSONValue = [
                "failure": [
                    "type": "expression-failed", "event": "soon", "message": .string(failure.discreet), "state": "a",
                    "line": .int(Int64(failure.line)), "expression": .string(failure.expression),
                ]
            ]
            var row = Self.row(2, .failed, "soon", at: 1_000)
            row.note = JSONWriter.string(note)
            var fold = begun
            try fold.apply(row, machine: machine, version: 1)
            let said = try #require(RecordedFailure(note: row.note))
            #expect(fold.failure == said)
        }
    }

    @Test(arguments: [JournalKind.skipped, .resumed])
    mutating func whatAnOperatorDoesHasItsPlace(kind: JournalKind) {
        #expect(
            mistake(Self.row(2, kind, "e", at: 1)) == "a row of kind '\(kind.rawValue)' cannot stand here")
    }

    @Test mutating func aStartOrARetryHasItsPlace() {
        #expect(
            mistake(Self.row(2, .started, "init", at: 1)) == "a row of kind 'started' cannot stand here")
        #expect(
            mistake(Self.row(2, .retried, "soon", at: 1)) == "a row of kind 'retried' cannot stand here")
        fold = Fold(of: Self.record)
        #expect(mistake(Self.row(1, .event, "soon", at: 1)) == "a row of kind 'event' cannot stand here")
    }
}
