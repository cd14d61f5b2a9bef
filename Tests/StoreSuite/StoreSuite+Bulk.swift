import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let bulk = [
        Check(name: "runs come back as they were written last, in pages of every size, and go with their names") {
            (store, writer, open) async throws in
            var runs = ["a", "b-2", "c"].map { run($0) }
            let names = (0..<1_203).map { InstanceName(rawValue: "order-\($0)") }
            try write(runs, [runs[1].key: names], writer)
            runs[1].state = .stopped
            runs[1].mark = BulkMark(machine: 0, number: 501)
            runs[1].outcome = #"{"done":501}"#
            runs[1].ended = Timestamp(rawValue: 77)
            try write([runs[1]], [:], writer)
            #expect(try writer.bulkRun(runs[1].key) == runs[1] && writer.view.bulkRun(runs[1].key) == runs[1])
            writer.view.release()
            #expect(try await store.bulkRun(runs[1].key) == runs[1])
            #expect(try await store.bulkRun(BulkKey("b", in: .default, partition: .first)) == nil)
            for limit in 1...4 {
                var found: [BulkRecord] = []
                while let page = Optional(try await store.bulkRuns(after: found.last?.key, limit: limit)), !page.isEmpty
                {
                    found += page
                }
                #expect(found == runs, "limit \(limit)")
            }
            #expect(try await all(of: runs[1].key, in: store) == names)
            #expect(try await store.bulkNames(of: runs[1].key, from: 1_203) == [])
            try writer.close()
            let again = try open()
            let writer = try again.writer()
            #expect(try writer.bulkRun(runs[1].key) == runs[1])
            var batch = StoreBatch(numbers: writer.numbers)
            batch.forgottenRuns = [runs[1].key]
            try writer.commit(batch)
            #expect(try await again.bulkRuns(after: nil, limit: 9) == [runs[0], runs[2]])
            #expect(try await again.bulkNames(of: runs[1].key, from: 0) == [])
            try writer.close()
        },
        Check(name: "a look sees the rows and the numbers of one committed state") { (store, writer) async throws in
            let scribe = Scribe(writer)
            _ = scribe.apply("order")
            for place in 0..<3 {
                scribe.start("i-\(place)")
                try scribe.commit(writer)
                let wanted = scribe.instances["i-\(place)"]
                let (found, numbers) = try await store.look(in: .first) { lookup, numbers in
                    (try? lookup.instance(named: "i-\(place)"), numbers)
                }
                #expect(wanted?.id.partition != .first || found == wanted)
                #expect(numbers == writer.numbers)
            }
        },
        Check(name: "a run without a name breaks a constraint") { (_, writer) async throws in
            #expect { try write([run("")], [:], writer) } throws: { code($0) == .constraint }
        },
        Check(name: "a selection meets each instance once by version and number, whatever its status becomes") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            let old = scribe.apply("order")
            let new = scribe.apply("order", source: "id: order\n# 2\n")
            let other = scribe.apply("fax")
            for (place, machine) in [old, new, old, other, old, new].enumerated() {
                scribe.start("i-\(place)", machine)
            }
            scribe.send("i-2", status: .failed, failure: #"{"message":"string + int"}"#)
            scribe.send("i-4", to: "busy.deep", status: .suspended)
            try scribe.commit(writer)
            func found(
                _ filter: InstanceQuery = InstanceQuery(limit: 0), versions: [MachineVersion] = [], limit: Int
            ) async throws -> [String] {
                var query = SelectionQuery(filter, limit: limit)
                query.filter.versions = versions
                var names: [String] = []
                for _ in 0..<100 {
                    let slice = try await store.selection(query, in: .default)
                    names += slice.instances.map(\.name.rawValue)
                    guard let next = slice.next else { return names }
                    #expect(next > query.after)
                    query.after = next
                }
                Issue.record("a selection does not end")
                return names
            }
            let first = inTurn(["i-0", "i-2", "i-4"], scribe)
            let second = inTurn(["i-1", "i-5"], scribe)
            for limit in 1...7 {
                #expect(try await found(limit: limit) == first + second + ["i-3"])
                let order = InstanceQuery(machines: ["order"], limit: 0)
                #expect(try await found(order, limit: limit) == first + second)
                #expect(try await found(order, versions: [2], limit: limit) == second)
                #expect(try await found(order, versions: [2, 1], limit: limit) == first + second)
                let both = InstanceQuery(machines: ["fax", "order"], limit: 0)
                #expect(try await found(both, limit: limit) == first + second + ["i-3"])
                let others = InstanceQuery(machines: ["none", "fax"], limit: 0)
                #expect(try await found(others, limit: limit) == ["i-3"])
                #expect(try await found(InstanceQuery(statuses: [.failed], limit: 0), limit: limit) == ["i-2"])
                #expect(try await found(InstanceQuery(failures: ["+ int"], limit: 0), limit: limit) == ["i-2"])
                let busy = InstanceQuery(states: ["busy"], limit: 0)
                #expect(try await found(busy, limit: limit) == inTurn(["i-2", "i-4"], scribe))
                let none = InstanceQuery(machines: ["none"], limit: 0)
                #expect(try await found(none, limit: limit) == [])
            }
        },
    ]

    /// Returns instances of one machine version in the order of their numbers: that of their partitions comes first.
    private static func inTurn(_ names: [String], _ scribe: Scribe) -> [String] {
        let found = names.compactMap { scribe.instances[$0] }.sorted { $0.id.rawValue < $1.id.rawValue }
        return found.map(\.name.rawValue)
    }

    private static func run(_ name: String) -> BulkRecord {
        BulkRecord(
            key: BulkKey(name, in: .default, partition: .first), request: #"{"action":{"verb":"retry"}}"#,
            actor: "uid:7", generation: 1, floor: Position(rawValue: 3), selected: 12, outcome: "{}",
            begun: Timestamp(rawValue: 5))
    }

    private static func write(
        _ runs: [BulkRecord], _ names: [BulkKey: [InstanceName]], _ writer: any StoreWriter
    ) throws {
        var batch = StoreBatch(numbers: writer.numbers)
        batch.changedRuns = runs
        batch.runNames = names
        try writer.commit(batch)
    }

    private static func all(of key: BulkKey, in store: any WorkflowStore) async throws -> [InstanceName] {
        var names: [InstanceName] = []
        while true {
            let more = try await store.bulkNames(of: key, from: Int64(names.count))
            if more.isEmpty { return names }
            names += more
        }
    }
}
