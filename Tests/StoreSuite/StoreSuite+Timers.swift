import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let timers = [
        Check(name: "timers come in the order of due, position and ordinal, in pages of every size") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            let all = try armed(scribe, writer)
            for partition in store.partitions {
                let own = all.map(\.timer).filter { $0.instanceID.partition == partition }
                #expect(try writer.timers(in: partition, limit: 100) == own)
                #expect(try writer.timers(in: partition, limit: 3) == Array(own.prefix(3)))
            }
            for limit in [1, 2, 5, 100] {
                var listed: [ListedTimer] = []
                while true {
                    let page = try await store.timers(after: listed.last?.timer.key, limit: limit)
                    #expect(page.count <= limit)
                    listed += page
                    if page.count < limit { break }
                }
                #expect(listed == all, "limit \(limit)")
            }
            #expect(try await store.timers(after: all.last?.timer.key, limit: 10) == [])
        },
        Check(name: "a timer that ended is gone, and one can take its place in the same batch") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            var all = try armed(scribe, writer)
            scribe.send("alpha")
            var batch = scribe.take()
            let place = try #require(all.firstIndex { $0.instance == "alpha" && $0.timer.key.ordinal == 3 })
            let ended = all.remove(at: place)
            batch.endedTimers = [ended.timer.key]
            let again = TimerRecord(key: ended.timer.key, instanceID: ended.timer.instanceID, event: "again")
            batch.armedTimers = [again]
            try writer.commit(batch)
            all.insert(ListedTimer(timer: again, instance: ended.instance), at: place)
            #expect(try await store.timers(after: nil, limit: 100) == all)
            for name in ["alpha", "beta"] { scribe.send(name) }
            try writer.commit(scribe.takeAll().map { ending(all.map(\.timer.key), $0) })
            #expect(try await store.timers(after: nil, limit: 100) == [])
            for partition in store.partitions { #expect(try writer.timers(in: partition, limit: 100) == []) }
        },
        Check(name: "ending a timer that is not there breaks a constraint and leaves nothing") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            let all = try armed(scribe, writer)
            let numbers = store.partitions.map(writer.numbers)
            for change in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] as [(Int64, Int64, Int64)] {
                scribe.send("alpha")
                var batch = scribe.take()
                var key = all[0].timer.key
                key.due = Timestamp(rawValue: key.due.rawValue - change.0)
                key.position = Position(rawValue: key.position.rawValue + 1_000 * change.1)
                key.ordinal += 1_000 * change.2
                batch.endedTimers = [all[1].timer.key, key]
                #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            }
            #expect(store.partitions.map(writer.numbers) == numbers)
            #expect(try await store.timers(after: nil, limit: 100) == all)
        },
        Check(name: "arming the same timer twice breaks a constraint") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            let all = try armed(scribe, writer)
            scribe.send("alpha")
            var batch = scribe.take()
            batch.armedTimers = [all[0].timer]
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try await store.timers(after: nil, limit: 100) == all)
        },
        Check(name: "instances and rows are found by their numbers") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            let beta = try #require(scribe.instances["beta"])
            #expect(try await store.instance(beta.id) == beta)
            #expect(try writer.instanceKey(beta.id) == beta.key)
            #expect(try await store.row(at: beta.head) == scribe.history["beta"]?.last)
            #expect(try await store.instance(InstanceID(rawValue: 99)) == nil)
            #expect(try writer.instanceKey(InstanceID(rawValue: 99)) == nil)
            #expect(try await store.row(at: Position(rawValue: 99)) == nil)
            let all = scribe.history.values.joined().sorted { $0.position > $1.position }
            #expect(try await store.rows(at: [Position(rawValue: 99)] + all.map(\.position)) == all)
        },
    ]

    /// Writes a machine and some instances of it.
    static func scribe(_ writer: any StoreWriter, instances: [String]) throws -> Scribe {
        let scribe = Scribe(writer)
        scribe.apply("order")
        for name in instances { scribe.start(name) }
        try scribe.commit(writer)
        return scribe
    }

    /// Arms timers of all instances, in no order. Returns them in order.
    static func armed(_ scribe: Scribe, _ writer: any StoreWriter) throws -> [ListedTimer] {
        var timers: [ListedTimer] = []
        for (name, instance) in scribe.instances {
            for (due, ordinal) in [(500, 0), (100, 3), (100, 1), (9_000, 2), (100, 12)] as [(Int64, Int64)] {
                let key = TimerKey(due: Timestamp(rawValue: due), position: instance.head, ordinal: ordinal)
                let timer = TimerRecord(key: key, instanceID: instance.id, event: "after.\(due).\(name)")
                timers.append(ListedTimer(timer: timer, instance: instance.name))
            }
        }
        for name in scribe.instances.keys { scribe.send(name) }
        let batches = scribe.takeAll().map { batch in
            var batch = batch
            batch.armedTimers = timers.map(\.timer).filter { $0.instanceID.partition == batch.numbers.partition }
            batch.armedTimers.reverse()
            return batch
        }
        try writer.commit(batches)
        return timers.sorted { $0.timer.key < $1.timer.key }
    }

    /// Returns a batch that ends those of some timers that are in its partition.
    static func ending(_ keys: [TimerKey], _ batch: StoreBatch) -> StoreBatch {
        var batch = batch
        batch.endedTimers = keys.filter { $0.position.partition == batch.numbers.partition }
        return batch
    }
}
