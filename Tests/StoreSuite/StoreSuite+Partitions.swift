import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks that partitions are independent.
    static let partitions = [
        Check(name: "numbers, ids and positions are of the partition of their instance", needs: [.partitions]) {
            (store, writer) async throws in
            let scribe = try spread(writer)
            #expect(Set(names.map(scribe.partition)).count > 10)
            for name in names {
                let instance = try #require(try await store.instance(named: name))
                #expect(instance == scribe.instances[name])
                #expect(instance.id.partition == scribe.partition(of: name))
                #expect(instance.head.partition == scribe.partition(of: name))
                #expect(try await store.history(whole(instance)) == scribe.history[name])
            }
            let others = Set(store.partitions).subtracting(names.map(scribe.partition)).subtracting([.first])
            for partition in others {
                let numbers = writer.numbers(in: partition)
                #expect(
                    [numbers.nextPosition.number, numbers.nextInstance.number, numbers.last.rawValue] == [1, 1, 0])
            }
        },
        Check(name: "a batch is made on top of those of its partition only", needs: [.partitions]) {
            (store, writer) async throws in
            let scribe = try spread(writer)
            let (one, other) = try apart(scribe)
            scribe.send(one)
            var batch = scribe.take()
            batch.base = writer.numbers(in: scribe.partition(of: one))
            scribe.send(other)
            try scribe.commit(writer)
            try writer.commit(batch)
            for name in [one, other] { #expect(try writer.instance(named: name) == scribe.instances[name]) }
        },
        Check(name: "what one partition cannot take is not in the others either", needs: [.partitions]) {
            (store, writer) async throws in
            let scribe = try spread(writer)
            let before = scribe.instances
            let numbers = store.partitions.map(writer.numbers)
            for name in names { scribe.send(name) }
            var batches = scribe.takeAll()
            batches[batches.count - 1].changedInstances[0].name = "nobody"
            #expect { try writer.commit(batches) } throws: { code($0) == .constraint }
            #expect(store.partitions.map(writer.numbers) == numbers)
            for name in names { #expect(try writer.instance(named: name) == before[name]) }
        },
        Check(name: "a batch takes nothing of another partition", needs: [.partitions]) {
            (store, writer) async throws in
            let scribe = try spread(writer)
            let (one, other) = try apart(scribe)
            scribe.send(one)
            let batch = scribe.take()
            var wrong = StoreBatch(numbers: writer.numbers(in: scribe.partition(of: other)))
            wrong.changedInstances = batch.changedInstances
            #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
            wrong.changedInstances = []
            wrong.journal = batch.journal
            #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
            try writer.commit(batch)
        },
        Check(name: "the rows before a position are of its partition", needs: [.partitions]) {
            (store, writer) async throws in
            let scribe = try spread(writer)
            for partition in store.partitions {
                let rows = scribe.history.values.joined().filter { $0.position.partition == partition }
                    .sorted { $0.position < $1.position }
                for (place, row) in rows.enumerated() {
                    let before = place == 0 ? nil : rows[place - 1]
                    #expect(try await store.row(before: row.position) == before)
                    #expect(try await store.row(at: row.position) == row)
                }
                #expect(try await store.row(before: writer.numbers(in: partition).nextPosition) == rows.last)
            }
        },
        Check(name: "keys are forgotten by the partition of the row that used them", needs: [.partitions]) {
            (store, writer) async throws in
            let ledger = try written(writer, keys: 5)
            let other = try #require(names.first { ledger.scribe.partition(of: $0) != ledger.partition })
            ledger.scribe.start(other)
            try ledger.scribe.commit(writer)
            let id = try #require(ledger.scribe.instances[other]).id
            try use(ledger.keys[0], .instance(id), by: other, ledger.scribe, writer)
            try forget(writer, ledger, count: 2, rows: 100)
            #expect(try remembered(ledger, writer) == [3, 4])
            #expect(try writer.forgottenKeys(in: ledger.partition) == ledger.times[2])
            #expect(try writer.position(of: ledger.keys[0], in: .instance(id)) != nil)
            #expect(try writer.forgottenKeys(in: id.partition) == Timestamp(rawValue: 0))
        },
        Check(name: "a clock is accepted by all partitions", needs: [.partitions]) { (store, writer) async throws in
            let scribe = try spread(writer)
            let now = Timestamp(rawValue: 1)
            let accepted = try writer.acceptClock(now, by: nil)
            #expect(accepted.ahead == names.count)
            let first = scribe.instances.values.sorted { $0.id < $1.id }.prefix(3)
            #expect(accepted.names == first.map(\.name))
            for partition in store.partitions { #expect(writer.numbers(in: partition).last == now) }
        },
    ]

    private static let names = (0..<40).map { "order-\($0)" }

    /// Writes instances in many partitions, with three rows each.
    private static func spread(_ writer: any StoreWriter) throws -> Scribe {
        let scribe = try scribe(writer, instances: names)
        for _ in 0..<2 {
            for name in names { scribe.send(name) }
            try scribe.commit(writer)
        }
        return scribe
    }

    /// Returns two instances of different partitions.
    private static func apart(_ scribe: Scribe) throws -> (String, String) {
        let other = try #require(names.first { scribe.partition(of: $0) != scribe.partition(of: names[0]) })
        return (names[0], other)
    }
}
