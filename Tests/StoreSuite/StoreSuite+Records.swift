import Statechart
import StoreTesting
import Testing
package import WorkflowStore

extension StoreSuite {
    static let records = [
        Check(name: "every record comes back as it was written") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order", source: "id: order\n# é ☂ \u{0}\n")
            scribe.start("order-1")
            scribe.send(
                "order-1", "pay", data: #"{"text":"☂"}"#, to: "a.b,a.c", actor: "uid:7",
                key: [UInt8](repeating: 7, count: 16), real: Timestamp(rawValue: 99))
            scribe.send("order-1", "nothing", data: nil, to: "done", status: .done, key: [])
            try scribe.commit(writer)
            for partition in store.partitions {
                #expect(writer.numbers(in: partition) == scribe.numbers(in: partition))
            }
            let expected = try #require(scribe.instances["order-1"])
            #expect(try await store.instance(named: "order-1") == expected)
            #expect(try writer.instance(named: "order-1") == expected)
            #expect(try await store.machine(named: "order", version: 1) == scribe.machines[0])
            #expect(try writer.machine(scribe.machines[0].id) == scribe.machines[0])
            #expect(try await store.history(whole(expected)) == scribe.history["order-1"])
        },
        Check(name: "what is not there is nil") { (store, writer) async throws in
            #expect(try await store.machine(named: "none", version: nil) == nil)
            #expect(try await store.machine(MachineID(rawValue: 1)) == nil)
            #expect(try await store.instance(named: "none") == nil)
            #expect(try await store.machineNames(limit: 10) == [])
            #expect(try await store.snapshot(of: InstanceID(rawValue: 1), atOrBefore: Seq(rawValue: 9)) == nil)
            #expect(try writer.machine(named: "none", version: 2) == nil)
        },
        Check(name: "a changed instance replaces its row") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            scribe.send("order-1", to: "packing")
            try scribe.commit(writer)
            #expect(try await store.instance(named: "order-1") == scribe.instances["order-1"])
            scribe.send("order-1", to: "shipped", status: .done)
            try scribe.commit(writer)
            let stored = try await store.instance(named: "order-1")
            #expect(stored == scribe.instances["order-1"] && stored?.status == .done)
        },
        Check(name: "a batch that breaks a constraint leaves nothing") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            let numbers = store.partitions.map(writer.numbers)
            scribe.apply("refund")
            scribe.start("order-2")
            var batches = scribe.takeAll()
            batches[batches.count - 1].newInstances[0].name = "order-1"
            #expect { try writer.commit(batches) } throws: { code($0) == .constraint }
            #expect(store.partitions.map(writer.numbers) == numbers)
            #expect(try await store.machine(named: "refund", version: nil) == nil)
            #expect(try await store.instances(InstanceQuery(limit: 10)).instances.map(\.name) == ["order-1"])
            try Self.carriesOn(writer)
        },
        Check(name: "changing an instance that is not there is refused") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            var batches = scribe.takeAll()
            batches[batches.count - 1].changedInstances = batches[batches.count - 1].newInstances
            batches[batches.count - 1].newInstances = []
            #expect { try writer.commit(batches) } throws: { code($0) == .constraint }
            #expect(try await store.machine(named: "order", version: nil) == nil)
        },
        Check(name: "a batch with rows past its numbers is refused") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: [])
            scribe.start("order-1")
            var batch = scribe.take()
            batch.numbers.nextPosition = writer.numbers(in: batch.numbers.partition).nextPosition
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
        },
        Check(name: "a batch that was made on top of one that is not there is refused") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: [])
            scribe.start("order-1")
            var batch = scribe.take()
            let numbers = writer.numbers(in: batch.numbers.partition)
            batch.base = numbers
            batch.base?.nextPosition = numbers.nextPosition.next
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try writer.instance(named: "order-1") == nil)
            batch.base = numbers
            try writer.commit(batch)
            #expect(try writer.instance(named: "order-1") != nil)
        },
        Check(name: "a view is one committed state until it is released") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            let view = writer.view
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 1)
            scribe.send("order-1")
            try scribe.commit(writer)
            #expect(try writer.instance(named: "order-1")?.seq.rawValue == 2)
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 1)
            view.release()
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 2)
            view.release()
            #expect(!view.hasFailed)
        },
    ]

    static func carriesOn(_ writer: any StoreWriter) throws {
        let scribe = Scribe(writer)
        scribe.apply("later")
        scribe.start("later-1")
        try scribe.commit(writer)
        #expect(try writer.instance(named: "later-1") != nil)
    }

    /// Returns the query for the whole history of an instance.
    package static func whole(_ instance: InstanceRecord, reversed: Bool = false) -> HistoryQuery {
        HistoryQuery(
            instance: instance.id, head: instance.head, headSeq: instance.seq, seqs: 1...instance.seq.rawValue,
            isReversed: reversed)
    }
}
