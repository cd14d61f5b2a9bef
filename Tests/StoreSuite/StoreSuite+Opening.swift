import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of opening, closing and reopening a store.
    static let opening = [
        Check(name: "an empty batch changes nothing") { (store, writer) async throws in
            for partition in store.partitions {
                let numbers = writer.numbers(in: partition)
                try writer.commit(StoreBatch(numbers: numbers))
                #expect(writer.numbers(in: partition) == numbers)
            }
        },
        Check(name: "the writing side is given away once") { (store, writer) async throws in
            #expect { _ = try store.writer() } throws: { code($0) == .locked }
            let numbers = writer.numbers
            try writer.close()
            #expect { _ = try store.writer() } throws: { code($0) == .locked }
            #expect(writer.numbers == numbers)
        },
        Check(name: "a closed store refuses everything") { (store, writer) async throws in
            try writer.close()
            await #expect { _ = try await store.instance(named: "a") } throws: { code($0) == .closed }
            #expect { _ = try writer.instance(named: "a") } throws: { code($0) == .closed }
            #expect { try writer.commit(StoreBatch(numbers: writer.numbers)) } throws: { code($0) == .closed }
            #expect { try writer.maintain() } throws: { code($0) == .closed }
            #expect { try writer.close() } throws: { code($0) == .closed }
        },
        Check(name: "a writer has the partitions of its store, each with numbers of its own") {
            (store, writer) async throws in
            #expect(writer.partitions == store.partitions)
            #expect(store.partitions.first == .first && store.partitions == store.partitions.sorted())
            #expect(writer.partitions.map { writer.numbers(in: $0).partition } == writer.partitions)
        },
        Check(name: "a store that is opened again has all that was committed, and goes on from it") {
            (store, writer, open) async throws in
            let ledger = try written(writer, keys: 5)
            try forget(writer, ledger, count: 3, rows: 100)
            let all = try armed(ledger.scribe, writer)
            let numbers = store.partitions.map(writer.numbers)
            let before = try #require(ledger.scribe.instances["alpha"])
            try writer.close()
            let again = try open()
            let writer = try again.writer()
            #expect(again.identity == store.identity)
            #expect(again.partitions.map(writer.numbers) == numbers)
            #expect(try await again.instance(named: "alpha") == before)
            #expect(try await again.machine(named: "order", version: nil) == ledger.scribe.machines[0])
            #expect(try await again.history(whole(before)) == ledger.scribe.history["alpha"])
            #expect(try await again.timers(after: nil, limit: 100) == all)
            #expect(try remembered(ledger, writer) == Array(2..<5))
            #expect(try writer.forgottenKeys(in: before.id.partition) == ledger.times[1])
            try Self.carriesOn(writer)
        },
    ]
}
