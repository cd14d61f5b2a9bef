import Statechart
import StoreTesting
import Testing
package import WorkflowStore

extension StoreSuite {
    static let keys = [
        Check(name: "a key is found in its scope only") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            let alpha = try #require(scribe.instances["alpha"]).id
            let beta = try #require(scribe.instances["beta"]).id
            let key = try #require(RequestKey(text: "one"))
            let scopes: [KeyScope] = [.instance(alpha), .instance(beta), .machine(scribe.machines[0].id)]
            for scope in scopes { #expect(try writer.position(of: key, in: scope) == nil) }
            for scope in scopes.dropLast() { try use(key, scope, by: "alpha", scribe, writer) }
            let last = try #require(scribe.instances["alpha"]).head
            #expect(try writer.position(of: key, in: .instance(alpha))?.rawValue == last.rawValue - 1)
            #expect(try writer.position(of: key, in: .instance(beta)) == last)
            #expect(try writer.position(of: key, in: scopes[2]) == nil)
            let upper = try #require(RequestKey(text: "ONE"))
            #expect(try writer.position(of: upper, in: .instance(alpha)) == nil)
        },
        Check(name: "using a key twice in its scope breaks a constraint") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            let scope = KeyScope.instance(try #require(scribe.instances["alpha"]).id)
            let key = try #require(RequestKey(text: "one"))
            try use(key, scope, by: "alpha", scribe, writer)
            let first = try writer.position(of: key, in: scope)
            #expect { try use(key, scope, by: "alpha", scribe, writer) } throws: { code($0) == .constraint }
            #expect(try writer.position(of: key, in: scope) == first)
        },
        Check(name: "keys that are too old are forgotten in steps, the oldest first") { (store, writer) async throws in
            let ledger = try written(writer, keys: 10)
            // No key is that old.
            try forget(writer, ledger, oldest: ledger.times[0].rawValue, rows: 100)
            #expect(try remembered(ledger, writer) == Array(0..<10))
            // Two rows for a batch; what is as old as said stays.
            try forget(writer, ledger, oldest: ledger.times[6].rawValue, rows: 2)
            #expect(try remembered(ledger, writer) == Array(2..<10))
            try forget(writer, ledger, oldest: ledger.times[6].rawValue, rows: 2)
            #expect(try remembered(ledger, writer) == Array(4..<10))
            for _ in 0..<3 { try forget(writer, ledger, oldest: ledger.times[6].rawValue, rows: 2) }
            #expect(try remembered(ledger, writer) == Array(6..<10))
        },
        Check(name: "of too many keys the oldest are forgotten, and those that say a recent time are kept") {
            (store, writer) async throws in
            let ledger = try written(writer, keys: 10)
            try forget(writer, ledger, count: 7, rows: 100)
            #expect(try remembered(ledger, writer) == Array(3..<10))
            #expect(try writer.forgottenKeys(in: ledger.partition) == ledger.times[2])
            // The sixth says a time that is new to the caller.
            try forget(writer, ledger, count: 0, newest: ledger.times[5], rows: 100)
            #expect(try remembered(ledger, writer) == Array(5..<10))
            #expect(try writer.forgottenKeys(in: ledger.partition) == ledger.times[4])
        },
        Check(name: "a failed batch forgets no key") { (store, writer) async throws in
            let ledger = try written(writer, keys: 5)
            let before = try writer.forgottenKeys(in: ledger.partition)
            ledger.scribe.send("alpha")
            var batch = ledger.scribe.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: .max), count: 0, newest: Timestamp(rawValue: .max), rows: 100)
            batch.keys = [KeyRecord(key: ledger.keys[0], scope: ledger.scope, position: batch.journal[0].position)]
            batch.endedTimers = [
                TimerKey(due: Timestamp(rawValue: 0), position: Position(rawValue: 1), ordinal: 0)
            ]
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try remembered(ledger, writer) == Array(0..<5))
            #expect(try writer.forgottenKeys(in: ledger.partition) == before)
            // The count was not moved either: there are five, and five may be.
            let again = try ledger.at(writer)
            try forget(writer, again, count: 5, rows: 100)
            #expect(try remembered(ledger, writer) == Array(0..<5))
            try forget(writer, again, count: 4, rows: 100)
            #expect(try remembered(ledger, writer) == Array(1..<5))
        },
        Check(name: "the key of a start is forgotten in its machine's scope") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let first = scribe.apply("order")
            scribe.apply("order")
            try scribe.commit(writer)
            scribe.start("alpha", key: "first")
            var batch = scribe.take()
            let key = try #require(RequestKey(text: "first"))
            batch.keys = [KeyRecord(key: key, scope: .machine(first.id), position: batch.journal[0].position)]
            try writer.commit(batch)
            #expect(try writer.position(of: key, in: .machine(first.id)) != nil)
            scribe.send("alpha")
            batch = scribe.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: .max), count: 9, newest: Timestamp(rawValue: .max), rows: 1)
            try writer.commit(batch)
            #expect(try writer.position(of: key, in: .machine(first.id)) == nil)
        },
    ]

    /// The keys that were used one after another, and their times.
    package struct WrittenKeys {
        /// The scribe that wrote the keys.
        package var scribe: Scribe
        let scope: KeyScope
        let keys: [RequestKey]
        /// The times in the keys, in their order.
        package let times: [Timestamp]

        /// The partition whose ledger has the keys.
        var partition: PartitionID { scribe.partition(of: "alpha") }

        /// Returns the keys with a scribe that begins at the committed state.
        package func at(_ writer: any StoreWriter) throws -> WrittenKeys {
            var copy = self
            copy.scribe = try scribe.resumed(writer)
            return copy
        }
    }

    /// Writes an instance whose events have keys with the times of their use.
    package static func written(_ writer: any StoreWriter, keys count: Int) throws -> WrittenKeys {
        let scribe = try scribe(writer, instances: ["alpha"])
        let scope = KeyScope.instance(try #require(scribe.instances["alpha"]).id)
        var keys: [RequestKey] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<count {
            let time = Timestamp(rawValue: scribe.last.rawValue + 1)
            let key = RequestKey(bytes: UniqueID(at: time, random: &random).bytes)
            try use(key, scope, by: "alpha", scribe, writer)
            keys.append(key)
        }
        return WrittenKeys(scribe: scribe, scope: scope, keys: keys, times: keys.compactMap(\.time))
    }

    static func use(
        _ key: RequestKey, _ scope: KeyScope, by name: String, _ scribe: Scribe, _ writer: any StoreWriter
    ) throws {
        scribe.send(name, key: key.bytes)
        var batch = scribe.take()
        batch.keys = [KeyRecord(key: key, scope: scope, position: batch.journal[0].position)]
        try writer.commit(batch)
    }

    /// Writes one more row, and forgets keys.
    package static func forget(
        _ writer: any StoreWriter, _ ledger: WrittenKeys, oldest: Int64? = nil, count: Int64 = 1_000,
        newest: Timestamp = Timestamp(rawValue: .max), rows: Int
    ) throws {
        ledger.scribe.send("alpha")
        var batch = ledger.scribe.take()
        batch.retention = KeyRetention(
            oldest: oldest.map(Timestamp.init(rawValue:)), count: count, newest: newest, rows: rows)
        try writer.commit(batch)
    }

    /// Returns the indices of the keys that are found.
    package static func remembered(_ ledger: WrittenKeys, _ writer: any StoreWriter) throws -> [Int] {
        try ledger.keys.indices.filter { try writer.position(of: ledger.keys[$0], in: ledger.scope) != nil }
    }
}
