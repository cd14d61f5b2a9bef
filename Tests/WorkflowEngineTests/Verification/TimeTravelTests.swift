import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@Suite struct TimeTravelTests {
    /// Earlier states are shown later as they were seen at the time, before and after snapshots.
    @Test func anInstanceIsShownAsItWas() async throws {
        let folder = try StoreFolder()
        let clock = HandClock()
        let running = try await RunningEngine(store: folder.open(), clock: clock)
        let engine = running.engine
        _ = try await engine.apply(WrittenFile.oven, syntax: .yaml)
        var seen: [Int64: InstanceRecord] = [:]
        func look(_ view: InstanceView) { seen[view.record.seq.rawValue] = view.record }
        look(try await engine.start(StartCommand(machine: "oven", instance: "oven")))
        for round in 0..<90 {
            for event in round % 3 == 0 ? ["heat", "remind", "ring"] : ["ring", "remind", "ring"] {
                clock.advance(1_000)
                // An event that the state does not take is refused, and makes no row.
                _ = try? await engine.send(SendCommand(instance: "oven", event: Event(name: event, data: ["n": 1])))
                look(try await engine.instance(named: "oven"))
            }
            if round % 3 == 2 {
                clock.advance(700_000)
                _ = try? await engine.send(SendCommand(instance: "oven", event: Event(name: "ring", data: ["n": 1])))
                look(try await engine.instance(named: "oven"))
            }
        }
        let last = try await engine.instance(named: "oven").record
        #expect(last.seq.rawValue > 256)
        for (seq, record) in seen {
            let past = try #require(try await engine.instance(named: "oven", after: Seq(rawValue: seq))).record
            #expect(past.state == record.unplacedState)
            #expect([past.status, record.status] == [.running, .running])
            #expect(past.updated == record.updated)
            #expect(past.head == record.head)
        }
        #expect(seen.count > 100)
        let none = try await engine.instance(named: "oven", after: last.seq.next)
        #expect(none == nil)
        try await running.stop()
    }

    @Test func theStepsOfAnInstanceAreToldAgain() async throws {
        let file = try await WrittenFile()
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(1_800_000_000_000))
        let record = try await running.engine.instance(named: "oven-3").record
        let steps = Collected<String>()
        try await running.engine.replay(record, in: Seq(rawValue: 1)...record.seq, isTracing: true, by: .test) { step in
            let deeds = step.microsteps.flatMap(\.deeds).map(\.text)
            steps.add("\(step.row.seq.rawValue) \(step.row.kind) \(step.row.event) \(step.status): \(deeds)")
        }
        #expect(
            steps.all == [
                #"1 started init running: ["assign cools = 1"]"#,
                #"2 event break running: ["send boom"]"#,
                "3 failed boom failed: []",
            ])
        let before = Collected<Int64>()
        try await running.engine.replay(record, in: Seq(rawValue: 1)...Seq(rawValue: 2), isTracing: false, by: .test) {
            step in
            before.add(step.row.seq.rawValue)
            #expect(step.microsteps.isEmpty)
        }
        #expect(before.all == [1, 2])
        try await running.stop()
    }
}
