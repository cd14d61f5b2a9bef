import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of deletions, and of the removal of rows.
    static let purges = [
        Check(name: "an instance that is deleted is gone for readers, and its name is free") { store, writer in
            let scribe = try begun(writer)
            let before = try #require(try await store.instance(named: "a"))
            let audit = scribe.delete("a", reason: "OPS-1", key: Digest(of: "k".utf8))
            scribe.start("a")
            try scribe.commit(writer)
            let after = try #require(try await store.instance(named: "a"))
            #expect(after.id != before.id && after.seq.rawValue == 1)
            #expect(try await store.instance(before.id) == nil)
            #expect(try writer.instanceKey(before.id) == nil)
            #expect(try await store.audits(AuditQuery(limit: 10), in: .default).entries == [.deletion(audit)])
            let earlier = AuditQuery(before: audit.position, limit: 10)
            #expect(try await store.audits(earlier, in: .default).entries.isEmpty)
            #expect(try writer.audit(key: Digest(of: "k".utf8)) == audit)
            #expect(try writer.audit(key: Digest(of: "l".utf8)) == nil)
            #expect(audit.digest == before.digest && audit.rows == 3 && audit.uuid == before.uuid)
            #expect(try await store.tally(TallyQuery(limit: 10)).map(\.count) == [1, 1])
            let listed = try await store.instances(InstanceQuery(limit: 10)).instances
            #expect(listed.map(\.name.rawValue).sorted() == ["a", "b"])
        },
        Check(name: "an instance that began in the batch that deletes it is gone too") { store, writer in
            let scribe = try begun(writer)
            let partition = scribe.partition(of: "c")
            scribe.start("c")
            scribe.delete("c")
            try scribe.commit(writer)
            #expect(try await store.instance(named: "c") == nil)
            try sweep(writer, partition, rows: 100)
            #expect(writer.backlog(in: partition).instances == 0)
        },
        Check(name: "rows are taken away from the last one down, a bounded number at a time") { store, writer in
            let scribe = try begun(writer)
            let partition = scribe.partition(of: "a")
            let rows = scribe.history["a"] ?? []
            scribe.delete("a")
            try scribe.commit(writer)
            var backlog = writer.backlog(in: partition)
            #expect(backlog.isDue && backlog.instances == 1 && backlog.rows == 3)
            for left in [2, 1] {
                try sweep(writer, partition, rows: 1)
                for (place, row) in rows.enumerated() {
                    #expect(try await store.row(at: row.position) == (place < left ? row : nil))
                }
                #expect(writer.backlog(in: partition).rows == Int64(left))
            }
            try sweep(writer, partition, rows: 1)
            backlog = writer.backlog(in: partition)
            #expect(!backlog.isDue && backlog.instances == 0 && backlog.rows == 0)
            #expect(try await store.row(at: rows[0].position) == nil)
            // The instance that is not deleted stays.
            let other = try #require(try await store.instance(named: "b"))
            #expect(try await store.row(at: other.head)?.instanceID == other.id)
        },
        Check(name: "keys of events go with their rows") { store, writer in
            let scribe = try begun(writer)
            let partition = scribe.partition(of: "a")
            let instance = try #require(try await store.instance(named: "a"))
            let key = try #require(RequestKey(text: "pay-1"))
            scribe.send("a", key: key.bytes)
            // Keys are noted where the batch is made.
            var batch = scribe.take()
            batch.keys = [KeyRecord(key: key, scope: .instance(instance.id), position: batch.journal[0].position)]
            try writer.commit(batch)
            scribe.delete("a")
            try scribe.commit(writer)
            #expect(try writer.position(of: key, in: .instance(instance.id)) != nil)
            try sweep(writer, partition, rows: 100)
            #expect(try writer.position(of: key, in: .instance(instance.id)) == nil)
            #expect(writer.backlog(in: partition).waiting == 0)
        },
        Check(name: "the key of a start keeps its row, emptied, until it is forgotten") { store, writer, open in
            let scribe = Scribe(writer)
            let partition = scribe.partition(of: "a")
            let machine = scribe.apply("example")
            try scribe.commit(writer)
            let key = try #require(RequestKey(text: "start-1"))
            scribe.start("a", key: "start-1")
            scribe.send("a", to: "done", status: .done)
            var batch = scribe.take()
            let start = batch.journal[0]
            batch.keys = [KeyRecord(key: key, scope: .machine(machine.id), position: start.position)]
            try writer.commit(batch)
            scribe.delete("a")
            try scribe.commit(writer)
            try sweep(writer, partition, rows: 100)
            #expect(try writer.position(of: key, in: .machine(machine.id)) == start.position)
            let left = try #require(try await store.row(at: start.position))
            #expect(left.isRedacted && left.data == nil && left.key == key.bytes && left.digest == start.digest)
            #expect(writer.backlog(in: partition).waiting == 1)
            #expect(!writer.backlog(in: partition).isDue)
            try writer.close()
            // The instances that wait are known after a start too.
            let again = try open()
            let next = try again.writer()
            #expect(next.backlog(in: partition).waiting == 1)
            let later = try scribe.resumed(next)
            // Keys are forgotten in the partition of the batch, which is that of the name.
            later.start("a", machine)
            var forgetting = later.take()
            forgetting.retention = KeyRetention(
                oldest: forgetting.numbers.last, count: 100, newest: forgetting.numbers.last, rows: 100)
            try next.commit(forgetting)
            #expect(next.backlog(in: partition).isDue)
            try sweep(next, partition, rows: 100)
            #expect(try await again.row(at: start.position) == nil)
            #expect(next.backlog(in: partition).waiting == 0)
        },
        Check(name: "rows of many instances go in the order of positions, over restarts") { _, writer, open in
            let scribe = Scribe(writer)
            scribe.apply("example")
            let partition = scribe.partition(of: "i0")
            // There are enough names for 40 of one partition.
            let names = (0..<5_000).map { "i\($0)" }.filter { scribe.partition(of: $0) == partition }.prefix(40)
            for name in names { scribe.start(name) }
            for _ in 0..<10 { for name in names { scribe.send(name) } }
            try scribe.commit(writer)
            for name in names { scribe.delete(name) }
            try scribe.commit(writer)
            try sweep(writer, partition, rows: 101)
            #expect(writer.backlog(in: partition).rows == 339)
            try writer.close()
            let again = try open().writer()
            #expect(again.backlog(in: partition).rows == 339 && again.backlog(in: partition).instances == 40)
            try sweep(again, partition, rows: 300)
            #expect(again.backlog(in: partition).instances == 39)
            try sweep(again, partition, rows: 300)
            #expect(again.backlog(in: partition) == PurgeBacklog(floor: again.backlog(in: partition).floor))
        },
    ]

    /// Writes two instances with some rows.
    private static func begun(_ writer: any StoreWriter) throws -> Scribe {
        let scribe = Scribe(writer)
        scribe.apply("example")
        scribe.start("a")
        scribe.start("b")
        scribe.send("a")
        scribe.send("b")
        scribe.send("a", to: "done", status: .done)
        try scribe.commit(writer)
        return scribe
    }

    static func sweep(_ writer: any StoreWriter, _ partition: PartitionID, rows: Int) throws {
        var batch = StoreBatch(numbers: writer.numbers(in: partition))
        batch.sweep = SweepOrder(rows: rows, time: .seconds(60))
        try writer.commit(batch)
    }
}
