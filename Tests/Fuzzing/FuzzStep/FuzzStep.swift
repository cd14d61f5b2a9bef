import Statechart
import WorkflowJSON

/// Drives a machine by arbitrary bytes (libFuzzer's entry). The first byte chooses a machine, and every two bytes after
/// it an event and its data. The configuration must stay legal, and the snapshot must survive being written and read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStep(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let first = bytes.first else { return 0 }
    var run = FuzzRun(FuzzMachines.all[Int(first) % FuzzMachines.all.count])
    for offset in stride(from: 1, to: bytes.count - 1, by: 2) { run.step(bytes[offset], bytes[offset + 1]) }
    return 0
}

/// An instance that is driven by bytes.
private struct FuzzRun {
    private static let identity = InstanceIdentity(name: "fuzz", version: 1, startedAt: .zero)
    private static let data: [JSONValue?] = [
        nil, .null, true, 0, 1, -1, 9_223_372_036_854_775_807, 0.5, "", "x", [], [1, 2, 3], [:],
        ["n": 1], ["n": "text"], ["n": [1, ["n": 2]]], ["list": [3, 1, 2]],
    ]

    private let machine: Machine
    private let events: [String]
    private var snapshot: Snapshot?
    private var now = LogicalTime.zero

    init(_ machine: Machine) {
        self.machine = machine
        events = machine.descriptors + ["unknown", "error.other"]
        follow(.start(), from: nil)
    }

    mutating func step(_ event: UInt8, _ data: UInt8) {
        guard let before = snapshot else { return }
        if event >= 0xF0 {
            guard let timer = before.armed.next else { return }
            now = max(now, timer.due)
            follow(.coming(timer, at: timer.due), from: before)
        } else {
            now = LogicalTime(milliseconds: now.milliseconds + Int64(data))
            let name = events[Int(event) % events.count]
            let event = Event(name: name, data: Self.data[Int(data) % Self.data.count], at: now)
            _ = machine.explain(before, event, as: Self.identity)
            follow(.event(event), from: before)
        }
    }

    private mutating func follow(_ input: Input, from before: Snapshot?) {
        let outcome = machine.apply(input, to: before, as: Self.identity)
        precondition(outcome == machine.apply(input, to: before, as: Self.identity), "two steps differ")
        if let before { _ = machine.accepted(in: before, as: Self.identity, at: now) }
        guard case .success(let chain) = machine.chain(input, from: before, as: Self.identity) else { return }
        for link in chain.links { check(link.macrostep.snapshot) }
        snapshot = chain.snapshot
    }

    private func check(_ snapshot: Snapshot) {
        let text = machine.text(of: snapshot)
        let again = try? machine.snapshot(of: text, status: snapshot.status, seq: snapshot.seq)
        precondition(again == snapshot, "a snapshot is not what was written")
        let active = Set(snapshot.configuration)
        precondition(active.contains(.root) && snapshot.configuration == active.sorted(), "no configuration")
        for index in active {
            let state = machine[index]
            let children = state.children.count(where: active.contains)
            switch state.kind {
            case .compound: precondition(children == 1, "a compound state has one active child")
            case .parallel: precondition(children == state.children.count, "all regions are active")
            case .atomic, .final: break
            case .shallowHistory, .deepHistory: preconditionFailure("a history state is never active")
            }
        }
    }
}
