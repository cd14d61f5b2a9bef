import Statechart
import Testing
import WorkflowStore

extension StoreSuite {
    static let erasures = [
        Check(name: "what is erased is gone, and what keeps its salt stays") { (store, writer) async throws in
            let (scribe, rows) = try written(writer)
            let instance = try #require(scribe.instances["alpha"])
            let salt = Salt(bytes: Array(repeating: 5, count: 16))
            try write(writer, instance) { erasure in
                erasure.rows = [(rows[1].position, rows[1].digest)]
                erasure.salts = [(rows[0].position, salt)]
                erasure.attempts = [(instance.id, rows[1].position)]
                erasure.records = [record(of: instance, walk: rows[0].position)]
            }
            let found = try await store.history(whole(instance))
            #expect(found[0].salt == .kept(salt) && found[0].data == rows[0].data)
            #expect(found[1].salt == .redacted(commitment: rows[1].digest) && found[1].isRedacted)
            #expect(found[1].data == nil && found[1].note == nil)
            #expect(found[1].key == rows[1].key, "a key that is remembered stays")
            #expect(found[1].digest == rows[1].digest && found[1].to == rows[1].to)
            #expect(try writer.row(at: rows[1].position) == found[1])
        },
        Check(name: "an erasure goes on until nothing is left to do") { (store, writer) async throws in
            let (scribe, rows) = try written(writer)
            let instance = try #require(scribe.instances["alpha"])
            #expect(try writer.openErasure(of: instance.id) == nil)
            let begun = record(of: instance, walk: rows[1].position)
            try write(writer, instance) { $0.records = [begun] }
            #expect(try writer.openErasure(of: instance.id) == begun)
            #expect(try writer.openErasure(of: instance.id.next) == nil)
            let further = record(of: instance, walk: rows[0].position)
            try write(writer, instance) { $0.records = [further] }
            #expect(try await store.erasures(after: nil, limit: 10) == [further])
            var ended = further
            ended.walk = nil
            try write(writer, instance) { $0.records = [ended] }
            #expect(try writer.openErasure(of: instance.id) == nil)
            #expect(try await store.erasures(after: nil, limit: 10) == [ended])
            #expect(try await store.erasures(after: ended.id, limit: 10) == [])
        },
        Check(name: "an instance gets another name and another salt") { (store, writer) async throws in
            let (scribe, _) = try written(writer)
            var instance = try #require(scribe.instances["alpha"])
            let old = instance.key
            instance.name = "gamma"
            instance.salt = Salt(bytes: Array(repeating: 6, count: 16))
            instance.saltFrom = instance.seq.next
            try write(writer, instance, isChanged: true) { $0.instances = [instance.id] }
            #expect(try await store.instance(old) == nil)
            #expect(try await store.instance(instance.key) == instance)
            #expect(try writer.instanceKey(instance.id) == instance.key)
            var other = try #require(scribe.instances["beta"])
            other.name = "gamma"
            #expect(throws: StoreError.self) {
                try write(writer, other, isChanged: true) { $0.instances = [other.id] }
            }
        },
    ]

    /// Writes two instances, of which the first has two rows.
    private static func written(_ writer: any StoreWriter) throws -> (Scribe, [JournalRecord]) {
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("alpha")
        scribe.start("beta")
        scribe.send("alpha", key: [0, 1])
        try scribe.commit(writer)
        return (scribe, scribe.history["alpha"] ?? [])
    }

    private static func record(of instance: InstanceRecord, walk: Position) -> ErasureRecord {
        ErasureRecord(
            id: instance.head.rawValue, instanceID: instance.id, uuid: instance.uuid, seqs: SeqSet([1...2, 7...7]),
            paths: ["who", "a.b"], name: "gamma", at: instance.updated,
            walk: ErasureWalk(seq: instance.seq, next: walk, bottom: Seq(rawValue: 1), top: instance.seq))
    }

    private static func write(
        _ writer: any StoreWriter, _ instance: InstanceRecord, isChanged: Bool = false,
        _ change: (inout BatchErasure) -> Void
    ) throws {
        var batch = StoreBatch(numbers: writer.numbers(in: instance.id.partition))
        if isChanged { batch.changedInstances = [instance] }
        change(&batch.erasure)
        try writer.commit(batch)
    }
}
