import IdentityTesting
import Statechart
import Testing
import WorkflowStore

extension StoreSuite {
    static let together = [
        Check(name: "batches that are committed together are all there, as the last one has them") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            let batches = try linked(scribe, writer)
            try writer.commit(batches)
            #expect(writer.numbers == scribe.numbers)
            for name in ["order-1", "order-2", "order-3"] {
                let instance = try #require(scribe.instances[name])
                #expect(try await store.instance(named: name) == instance)
                #expect(try await store.history(whole(instance)) == scribe.history[name])
            }
            #expect(scribe.instances["order-1"]?.seq.rawValue == 4)
            #expect(scribe.instances["order-2"]?.status == .done)
            let timers = try await store.timers(after: nil, limit: 10)
            #expect(timers.map(\.timer.event) == ["third"])
            try Self.carriesOn(writer)
        },
        Check(name: "of batches that are committed together, one that fails takes all with it") {
            (store, writer) async throws in
            for failing in 0..<3 {
                let numbers = writer.numbers
                var batches = try linked(Scribe(writer), writer)
                batches[failing].endedTimers.append(timer(999, "absent", of: batches[0].newInstances[0]).key)
                #expect { try writer.commit(batches) } throws: { code($0) == .constraint }
                #expect(writer.numbers == numbers)
                #expect(try await store.instances(InstanceQuery(limit: 10)).instances.isEmpty)
                #expect(try await store.timers(after: nil, limit: 10).isEmpty)
            }
            try Self.carriesOn(writer)
        },
        Check(name: "a batch that does not follow the one that it is committed with is refused, and so is that one") {
            (store, writer) async throws in
            let batches = try linked(Scribe(writer), writer)
            for wrong in [[batches[0], batches[2]], [batches[1], batches[2]], [batches[1], batches[0]]] {
                #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
                #expect(try await store.instances(InstanceQuery(limit: 10)).instances.isEmpty)
            }
            try writer.commit(batches)
            #expect(try await store.instances(InstanceQuery(limit: 10)).instances.count == 3)
        },
        Check(name: "no batches and batches without anything change nothing") { (store, writer) async throws in
            let numbers = writer.numbers
            try writer.commit([])
            try writer.commit([StoreBatch(numbers: numbers), StoreBatch(numbers: numbers)])
            #expect(writer.numbers == numbers)
        },
    ]

    /// Three batches, each made on top of the one before: instances begin in the first and in the second and change
    /// further in those behind, and a timer that each arms is ended by the next.
    private static func linked(_ scribe: Scribe, _ writer: any StoreWriter) throws -> [StoreBatch] {
        var batches: [StoreBatch] = []
        func close(arming event: String, ending last: TimerRecord?) throws -> TimerRecord {
            let base = batches.last?.numbers ?? writer.numbers
            var batch = scribe.take()
            let armed = timer(1_000, event, of: try #require(scribe.instances["order-1"]))
            batch.base = base
            batch.armedTimers = [armed]
            batch.endedTimers = last.map { [$0.key] } ?? []
            batches.append(batch)
            return armed
        }
        scribe.apply("order")
        for name in ["order-1", "order-2"] { scribe.start(name) }
        scribe.send("order-1", key: Array(repeating: 1, count: 16))
        let first = try close(arming: "first", ending: nil)
        scribe.start("order-3")
        for name in ["order-1", "order-2", "order-3"] { scribe.send(name, to: "second") }
        let second = try close(arming: "second", ending: first)
        scribe.send("order-1", to: "third")
        scribe.send("order-2", to: "third", status: .done)
        _ = try close(arming: "third", ending: second)
        return batches
    }

    private static func timer(_ due: Int64, _ event: String, of instance: InstanceRecord) -> TimerRecord {
        TimerRecord(
            key: TimerKey(due: Timestamp(rawValue: due), position: instance.head, ordinal: 0), instanceID: instance.id,
            event: event)
    }
}
