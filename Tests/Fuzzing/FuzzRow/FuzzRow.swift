import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Reads arbitrary lines as an instance's row in a file, and then as rows of its journal (libFuzzer's entry). They are
/// refused, or give a state from which the machine can continue.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRow(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 5 else { return 0 }
    FuzzHistory(lines).run()
    return 0
}

/// An instance in the form of its stored texts.
private struct FuzzHistory {
    private static let seq = Seq(rawValue: 9)
    private static let at = Timestamp(rawValue: 1_000_000)
    private static let instance = InstanceRecord(
        id: InstanceID(rawValue: 1), uuid: UniqueID(bytes: Array(repeating: 0, count: 16)), namespace: .default,
        name: "fuzz", machineID: MachineID(rawValue: 1), status: .running, seq: seq, head: Position(rawValue: 90),
        state: SnapshotText(configuration: "", context: "{}", memory: "{}"), entered: at, salt: .zero, digest: .zero,
        created: at, updated: at)

    private let stored: SnapshotRecord
    private let rows: [JournalRecord]

    /// Reads status, configuration, context, memory and pending items; then four lines for each row: kind, event, data,
    /// note.
    init(_ lines: [String]) {
        stored = SnapshotRecord(
            instanceID: Self.instance.id, seq: Self.seq, position: Self.instance.head,
            status: InstanceStatus(rawValue: lines[0]) ?? .running,
            state: SnapshotText(configuration: lines[1], context: lines[2], memory: lines[3], armed: lines[4]),
            salt: .zero, digest: .zero)
        var rows: [JournalRecord] = []
        for place in stride(from: 5, to: lines.count - 3, by: 4) {
            let (kind, event, data, note) = (lines[place], lines[place + 1], lines[place + 2], lines[place + 3])
            rows.append(
                JournalRecord(
                    position: Position(rawValue: Int64(100 + place)), instanceID: Self.instance.id,
                    machineID: Self.instance.machineID, seq: Seq(rawValue: Self.seq.rawValue + 1 + Int64(rows.count)),
                    previous: nil, at: Timestamp(rawValue: Self.at.rawValue + Int64(place) * 3_600_000), real: nil,
                    kind: JournalKind(rawValue: kind) ?? .event, event: event, data: data.isEmpty ? nil : data,
                    from: "", to: "", actor: nil, key: nil, note: note.isEmpty ? nil : note, digest: .zero))
        }
        self.rows = rows
    }

    func run() {
        let machine = FuzzedMachine.machine
        do throws(FoldError) {
            var fold = try Fold(of: Self.instance, after: stored, machine: machine, version: 1)
            if let snapshot = fold.snapshot { goOn(from: snapshot, machine) }
            for row in rows where !fold.passes(row) { try fold.apply(row, machine: machine, version: 1) }
            if let snapshot = fold.snapshot { goOn(from: snapshot, machine) }
        } catch {
            // Most texts are nobody's.
        }
    }

    /// Uses a snapshot as a daemon uses an instance that it has read.
    private func goOn(from snapshot: Snapshot, _ machine: Machine) {
        let identity = InstanceIdentity(name: "fuzz", version: 1, startedAt: .zero)
        let now = LogicalTime(milliseconds: Self.at.rawValue)
        _ = machine.accepted(in: snapshot, as: identity, at: now)
        for name in machine.descriptors {
            _ = machine.chain(.event(Event(name: name, data: ["n": 1], at: now)), from: snapshot, as: identity)
        }
        if let next = snapshot.armed.next, snapshot.status == .running {
            _ = machine.chain(.coming(next, at: max(next.due, now)), from: snapshot, as: identity)
        }
        let again = try? machine.snapshot(
            of: machine.text(of: snapshot), status: snapshot.status, seq: snapshot.seq)
        precondition(again == snapshot, "a snapshot is not what was read")
    }
}

/// A machine with everything that can be armed, and with a history state.
private enum FuzzedMachine {
    static let machine: Machine = {
        do throws(DefinitionError) {
            return try DefinitionReader.read(text).machine
        } catch {
            preconditionFailure("\(error.diagnostics)")
        }
    }()

    private static let text = """
        id: fuzz
        type: parallel
        context: {n: 0, list: []}
        states:
          left:
            initial: a
            states:
              a:
                initial: x
                states: {x: {on: {go: y}}, y: {after: {1h: x}}}
                on: {out: b}
              b: {on: {back: h, deep: d}}
              h: {type: history, target: a}
              d: {type: history, history: deep, target: a}
          right:
            initial: idle
            states:
              idle: {on: {work: busy, later: {actions: {send: {event: came, delay: 1h, id: s}}}, came: {}}}
              busy:
                invoke: {id: job, task: q, timeout: 2h, onDone: idle, onError: idle}
                after: {3h: {target: idle, misfire: {skip: 10m}}}
                on: {fail: {actions: {assign: {n: 1 / 0}}}}
        """
}
