import Statechart
import Testing
import WorkflowStore

extension StoreSuite {
    static let keys = [
        Check(name: "a key is found in its scope only") { (store) async throws in
            let scribe = try scribe(store, instances: ["alpha", "beta"])
            let alpha = try #require(scribe.instances["alpha"]).id
            let beta = try #require(scribe.instances["beta"]).id
            let key = try #require(RequestKey(text: "one"))
            let scopes: [KeyScope] = [.instance(alpha), .instance(beta), .machine(scribe.machines[0].id)]
            for scope in scopes { #expect(try store.writer.position(of: key, in: scope) == nil) }
            for scope in scopes.dropLast() { try use(key, scope, by: "alpha", scribe, store) }
            let last = try #require(scribe.instances["alpha"]).head
            #expect(try store.writer.position(of: key, in: .instance(alpha))?.rawValue == last.rawValue - 1)
            #expect(try store.writer.position(of: key, in: .instance(beta)) == last)
            #expect(try store.writer.position(of: key, in: scopes[2]) == nil)
            let upper = try #require(RequestKey(text: "ONE"))
            #expect(try store.writer.position(of: upper, in: .instance(alpha)) == nil)
        },
        Check(name: "using a key twice in its scope breaks a constraint") { (store) async throws in
            let scribe = try scribe(store, instances: ["alpha"])
            let scope = KeyScope.instance(try #require(scribe.instances["alpha"]).id)
            let key = try #require(RequestKey(text: "one"))
            try use(key, scope, by: "alpha", scribe, store)
            let first = try store.writer.position(of: key, in: scope)
            #expect { try use(key, scope, by: "alpha", scribe, store) } throws: { code($0) == .constraint }
            #expect(try store.writer.position(of: key, in: scope) == first)
        },
        Check(name: "keys that are too old are forgotten in steps, the oldest first") { (store) async throws in
            let ledger = try written(store, keys: 10)
            let writer = store.writer
            // Nothing is that old.
            try forget(store, ledger, oldest: ledger.times[0].rawValue, rows: 100)
            #expect(try remembered(ledger, writer) == Array(0..<10))
            // Two rows for a batch; what is as old as said stays.
            try forget(store, ledger, oldest: ledger.times[6].rawValue, rows: 2)
            #expect(try remembered(ledger, writer) == Array(2..<10))
            try forget(store, ledger, oldest: ledger.times[6].rawValue, rows: 2)
            #expect(try remembered(ledger, writer) == Array(4..<10))
            for _ in 0..<3 { try forget(store, ledger, oldest: ledger.times[6].rawValue, rows: 2) }
            #expect(try remembered(ledger, writer) == Array(6..<10))
        },
        Check(name: "of too many keys the oldest are forgotten, and those that say a recent time are kept") {
            (store) async throws in
            let ledger = try written(store, keys: 10)
            try forget(store, ledger, count: 7, rows: 100)
            #expect(try remembered(ledger, store.writer) == Array(3..<10))
            #expect(try store.writer.forgottenKeys() == ledger.times[2])
            // The sixth says a time that is new to the caller.
            try forget(store, ledger, count: 0, newest: ledger.times[5], rows: 100)
            #expect(try remembered(ledger, store.writer) == Array(5..<10))
            #expect(try store.writer.forgottenKeys() == ledger.times[4])
        },
        Check(name: "a failed batch forgets no key") { (store) async throws in
            let ledger = try written(store, keys: 5)
            let before = try store.writer.forgottenKeys()
            ledger.scribe.send("alpha")
            var batch = ledger.scribe.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: .max), count: 0, newest: Timestamp(rawValue: .max), rows: 100)
            batch.keys = [KeyRecord(key: ledger.keys[0], scope: ledger.scope, position: batch.journal[0].position)]
            batch.endedTimers = [
                TimerKey(due: Timestamp(rawValue: 0), position: Position(rawValue: 1), ordinal: 0)
            ]
            #expect { try store.writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try remembered(ledger, store.writer) == Array(0..<5))
            #expect(try store.writer.forgottenKeys() == before)
            // The count was not moved either: there are five, and five may be.
            let again = ledger.at(store)
            try forget(store, again, count: 5, rows: 100)
            #expect(try remembered(ledger, store.writer) == Array(0..<5))
            try forget(store, again, count: 4, rows: 100)
            #expect(try remembered(ledger, store.writer) == Array(1..<5))
        },
        Check(name: "the key of a start is forgotten in its machine's scope") { (store) async throws in
            let scribe = Scribe(store.writer)
            let first = scribe.apply("order")
            scribe.apply("order")
            scribe.start("alpha", key: "first")
            var batch = scribe.take()
            let key = try #require(RequestKey(text: "first"))
            batch.keys = [KeyRecord(key: key, scope: .machine(first.id), position: batch.journal[0].position)]
            try store.writer.commit(batch)
            #expect(try store.writer.position(of: key, in: .machine(first.id)) != nil)
            scribe.send("alpha")
            batch = scribe.take()
            batch.retention = KeyRetention(
                oldest: Timestamp(rawValue: .max), count: 9, newest: Timestamp(rawValue: .max), rows: 1)
            try store.writer.commit(batch)
            #expect(try store.writer.position(of: key, in: .machine(first.id)) == nil)
        },
    ]

    /// Keys that were used one after another, and what they say.
    struct WrittenKeys {
        var scribe: Scribe
        let scope: KeyScope
        let keys: [RequestKey]
        let times: [Timestamp]

        /// With a scribe that begins at what is committed.
        func at(_ store: any WorkflowStore) -> WrittenKeys {
            var copy = self
            copy.scribe = scribe.resumed(store.writer)
            return copy
        }
    }

    /// An instance whose events have keys that say when they were used.
    static func written(_ store: any WorkflowStore, keys count: Int) throws -> WrittenKeys {
        let scribe = try scribe(store, instances: ["alpha"])
        let scope = KeyScope.instance(try #require(scribe.instances["alpha"]).id)
        var keys: [RequestKey] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<count {
            let time = Timestamp(rawValue: scribe.numbers.last.rawValue + 1)
            let key = RequestKey(bytes: UniqueID(at: time, random: &random).bytes)
            try use(key, scope, by: "alpha", scribe, store)
            keys.append(key)
        }
        return WrittenKeys(scribe: scribe, scope: scope, keys: keys, times: keys.compactMap(\.time))
    }

    static func use(
        _ key: RequestKey, _ scope: KeyScope, by name: String, _ scribe: Scribe, _ store: any WorkflowStore
    ) throws {
        scribe.send(name, key: key.bytes)
        var batch = scribe.take()
        batch.keys = [KeyRecord(key: key, scope: scope, position: batch.journal[0].position)]
        try store.writer.commit(batch)
    }

    /// Writes one more row, and forgets.
    static func forget(
        _ store: any WorkflowStore, _ ledger: WrittenKeys, oldest: Int64? = nil, count: Int64 = 1_000,
        newest: Timestamp = Timestamp(rawValue: .max), rows: Int
    ) throws {
        ledger.scribe.send("alpha")
        var batch = ledger.scribe.take()
        batch.retention = KeyRetention(
            oldest: oldest.map(Timestamp.init(rawValue:)), count: count, newest: newest, rows: rows)
        try store.writer.commit(batch)
    }

    /// Which of the keys are found.
    static func remembered(_ ledger: WrittenKeys, _ writer: any StoreWriter) throws -> [Int] {
        try ledger.keys.indices.filter { try writer.position(of: ledger.keys[$0], in: ledger.scope) != nil }
    }
}
