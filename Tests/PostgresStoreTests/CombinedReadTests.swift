import PostgresTesting
import StoreSuite
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// A batch reads its rows with one round trip, and then works from memory.
@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct CombinedReadTests {
    @Test(arguments: [1, 16] as [Int64]) func lookupsAreAnsweredFromMemory(partitions: Int64) throws {
        let store = try TestDatabase(partitions: partitions).open()
        let writer = try store.writer()
        let scribe = Scribe(writer)
        let order = scribe.apply("order")
        for name in ["a", "b", "c"] { scribe.start(name, order) }
        try scribe.commit(writer)
        let keys = try ["used", "free"].map { try #require(RequestKey(text: $0)) }
        scribe.send("a", key: keys[0].bytes)
        var batches = scribe.takeAll()
        let a = try #require(scribe.instances["a"])
        batches[0].keys = [
            KeyRecord(key: keys[0], scope: .instance(a.id), position: a.head),
            KeyRecord(key: keys[1], scope: .machine(order.id), position: a.head),
        ]
        try writer.commit(batches)
        let (b, absent) = (try #require(scribe.instances["b"]), InstanceKey("none", in: .default))
        var wanted = WantedRows()
        wanted.instances = [a.key, absent]
        wanted.ids = [b.id, InstanceID(rawValue: 999)]
        wanted.machines = [
            WantedMachine(order.key, version: nil), WantedMachine(order.key, version: 2),
            WantedMachine(order.key, version: 1),
        ]
        wanted.keys = [
            WantedKey(keys[0], in: .instance(a.key)), WantedKey(keys[1], in: .known(.instance(a.id))),
            WantedKey(keys[1], in: .machine(order.key)),
        ]
        let view = writer.view
        for lookup in [writer, view] as [any StoreLookup] {
            let prefetch = try #require(lookup.prefetch)
            try prefetch.prefetch(wanted)
            let forgotten = try lookup.forgottenKeys(in: a.id.partition)
            // With the writer closed at last, only memory can answer.
            if lookup === view { try writer.close() }
            #expect(try lookup.instance(a.key) == a)
            #expect(try lookup.instance(absent) == nil)
            #expect(try lookup.instanceKey(b.id) == b.key)
            #expect(try lookup.instance(b.key) == b)
            #expect(try lookup.instanceKey(InstanceID(rawValue: 999)) == nil)
            #expect(try lookup.machine(order.key, version: nil) == order)
            #expect(try lookup.machine(order.key, version: 1) == order)
            #expect(try lookup.machine(order.key, version: 2) == nil)
            #expect(try lookup.machine(order.id) == order)
            #expect(try lookup.position(of: keys[0], in: .instance(a.id)) == a.head)
            #expect(try lookup.position(of: keys[1], in: .instance(a.id)) == nil)
            #expect(try lookup.position(of: keys[1], in: .machine(order.id)) == a.head)
            // The writer knows it from its log.
            #expect(try lookup.forgottenKeys(in: a.id.partition) == forgotten)
        }
        #expect(throws: StoreError.self) { try view.row(at: a.head) }
        view.prefetch?.forget()
        #expect(throws: StoreError.self) { try view.instance(a.key) }
    }

    /// A view does not see a commit after its first read before it is released.
    @Test func aViewSeesOneState() throws {
        let store = try TestDatabase().open()
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("a")
        try scribe.commit(writer)
        let before = try #require(scribe.instances["a"])
        #expect(try writer.view.instance(before.key) == before)
        scribe.send("a", to: "b")
        try scribe.commit(writer)
        #expect(try writer.view.instance(before.key) == before)
        writer.view.release()
        #expect(try writer.view.instance(before.key) == scribe.instances["a"])
        try writer.close()
    }
}
