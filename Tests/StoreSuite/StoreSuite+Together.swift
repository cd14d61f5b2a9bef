import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let together = [
        Check(name: "batches that are committed together are all there, as the last one has them") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            let steps = try linked(scribe)
            try writer.commit(steps.flatMap(\.self))
            for partition in store.partitions {
                #expect(writer.numbers(in: partition) == scribe.numbers(in: partition))
            }
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
                let numbers = store.partitions.map(writer.numbers)
                let scribe = Scribe(writer)
                var steps = try linked(scribe)
                let absent = timer(999, "absent", of: try #require(scribe.instances["order-1"]))
                let place = steps[failing].firstIndex { $0.numbers.partition == absent.instanceID.partition }
                steps[failing][try #require(place)].endedTimers.append(absent.key)
                #expect { try writer.commit(steps.flatMap(\.self)) } throws: { code($0) == .constraint }
                #expect(store.partitions.map(writer.numbers) == numbers)
                #expect(try await store.instances(InstanceQuery(limit: 10)).instances.isEmpty)
                #expect(try await store.timers(after: nil, limit: 10).isEmpty)
            }
            try Self.carriesOn(writer)
        },
        Check(name: "a batch that does not follow the one that it is committed with is refused, and so is that one") {
            (store, writer) async throws in
            let steps = try linked(Scribe(writer))
            for wrong in [steps[0] + steps[2], steps[1] + steps[2], steps[1] + steps[0]] {
                #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
                #expect(try await store.instances(InstanceQuery(limit: 10)).instances.isEmpty)
            }
            try writer.commit(steps.flatMap(\.self))
            #expect(try await store.instances(InstanceQuery(limit: 10)).instances.count == 3)
        },
        Check(name: "no batches and batches without anything change nothing") { (store, writer) async throws in
            let numbers = writer.numbers
            try writer.commit([])
            try writer.commit([StoreBatch(numbers: numbers), StoreBatch(numbers: numbers)])
            #expect(writer.numbers == numbers)
        },
    ]

    /// Returns three steps, each with a batch for every partition that it touches. A batch is made on top of the
    /// previous one in its partition. Instances begin in the first and in the second step and change later, and each
    /// step arms a timer that the next one ends.
    private static func linked(_ scribe: Scribe) throws -> [[StoreBatch]] {
        var steps: [[StoreBatch]] = []
        func close(arming event: String, ending last: TimerRecord?) throws -> TimerRecord {
            let armed = timer(1_000, event, of: try #require(scribe.instances["order-1"]))
            steps.append(
                scribe.takeAll().map { batch in
                    let partition = batch.numbers.partition
                    let before = steps.joined().last { $0.numbers.partition == partition }
                    var batch = batch
                    batch.base = before?.numbers ?? scribe.writer.numbers(in: partition)
                    guard partition == armed.instanceID.partition else { return batch }
                    batch.armedTimers = [armed]
                    batch.endedTimers = last.map { [$0.key] } ?? []
                    return batch
                })
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
        return steps
    }

    private static func timer(_ due: Int64, _ event: String, of instance: InstanceRecord) -> TimerRecord {
        TimerRecord(
            key: TimerKey(due: Timestamp(rawValue: due), position: instance.head, ordinal: 0), instanceID: instance.id,
            event: event)
    }
}
