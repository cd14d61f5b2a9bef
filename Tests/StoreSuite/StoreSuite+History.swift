import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let history = [
        Check(name: "when states were entered is found along the instance's rows") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("first", in: "a.x,b.y")
            for state in ["a.z,b.y", "a.z,b.q", "a.z,b.y", "a.w,b.y"] { scribe.send("first", to: state) }
            scribe.start("other", in: "a")
            try scribe.commit(writer)
            let rows = try #require(scribe.history["first"])
            let other = try #require(scribe.instances["other"])
            let last = rows[4].position
            // A search ends where the row is of another instance.
            var searches = [
                StaySearch(of: rows[0].instanceID, in: ["a", "a.w", "b", "b.y"], after: last),
                StaySearch(of: other.id, in: ["a"], after: last),
                StaySearch(of: rows[0].instanceID, in: ["b.q"], after: rows[2].position),
            ]
            while searches.contains(where: { $0.next != nil }) { searches = try await store.continued(searches) }
            #expect(searches[0].entered == [rows[0].at, rows[4].at, rows[0].at, rows[3].at])
            #expect(searches[1].entered == [nil] && searches[2].entered == [rows[2].at])
        },
        Check(name: "any page of a history is what was written") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let names = try interleaved(scribe, writer, rows: 1_100)
            for name in names {
                let instance = try #require(scribe.instances[name])
                let all = try #require(scribe.history[name])
                #expect(all.count > 1_000)
                for seqs in pages(of: instance.seq.rawValue) {
                    try await expect(seqs, of: instance, in: all, store)
                }
            }
        },
        Check(name: "paging backwards does not see what came later") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let name = try #require(try interleaved(scribe, writer, rows: 300).first)
            let before = try #require(scribe.instances[name])
            for _ in 0..<300 { scribe.send(name) }
            try scribe.commit(writer)
            let rows = try await store.history(
                HistoryQuery(
                    instance: before.id, head: before.head, headSeq: before.seq, seqs: 1...10_000, isReversed: true))
            #expect(rows.first?.seq == before.seq)
            #expect(rows == scribe.history[name]?.prefix(rows.count).reversed())
        },
        Check(name: "an answer holds at most 1,000 rows, the first of its order") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let name = try #require(try interleaved(scribe, writer, rows: 1_100).first)
            let instance = try #require(scribe.instances[name])
            let forward = try await store.history(whole(instance))
            let backward = try await store.history(whole(instance, reversed: true))
            #expect(forward.map(\.seq.rawValue) == Array(1...1_000))
            let top = instance.seq.rawValue
            #expect(backward.map(\.seq.rawValue) == Array((top - 999...top).reversed()))
        },
        Check(name: "seqs that do not exist give no rows") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let name = try #require(try interleaved(scribe, writer, rows: 3).first)
            var query = whole(try #require(scribe.instances[name]))
            query.seqs = 1_000...2_000
            #expect(try await store.history(query) == [])
            query.seqs = -5...0
            #expect(try await store.history(query) == [])
        },
        Check(name: "the snapshot before a seq is the nearest") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let name = try #require(try interleaved(scribe, writer, rows: 600).first)
            let instance = try #require(scribe.instances[name])
            let snapshots = scribe.snapshots.filter { $0.instanceID == instance.id }
            #expect(snapshots.map(\.seq.rawValue) == [256, 512])
            for (seq, expected) in [(255, nil), (256, snapshots[0]), (511, snapshots[0]), (9_999, snapshots[1])] {
                #expect(try await store.snapshot(of: instance.id, atOrBefore: Seq(rawValue: Int64(seq))) == expected)
            }
        },
    ]

    /// Writes three instances that take turns, in batches of different sizes. The first gets `rows` rows, the others a
    /// few more.
    static func interleaved(_ scribe: Scribe, _ writer: any StoreWriter, rows: Int) throws -> [String] {
        let names = ["alpha", "beta", "gamma"]
        scribe.apply("order")
        for name in names { scribe.start(name) }
        for number in 1..<rows {
            for name in names { scribe.send(name, data: #"{"n":\#(number)}"#, to: "s\(number % 5)") }
            if number % 2 == 0 { scribe.send("beta") }
            if number % 97 == 0 { try scribe.commit(writer) }
        }
        try scribe.commit(writer)
        return names
    }

    /// Returns ranges at the edges of snapshots, at both ends, and of every size.
    private static func pages(of last: Int64) -> [ClosedRange<Int64>] {
        let starts: [Int64] = [1, 2, 100, 254, 255, 256, 257, 258, 511, 512, 513, 700, last - 2, last]
        let sizes: [Int64] = [1, 2, 50, 257, 500, 756]
        return starts.flatMap { start in sizes.map { start...(start + $0 - 1) } }
    }

    private static func expect(
        _ seqs: ClosedRange<Int64>, of instance: InstanceRecord, in all: [JournalRecord], _ store: any WorkflowStore
    ) async throws {
        let wanted = all.filter { seqs.contains($0.seq.rawValue) }
        var query = whole(instance)
        query.seqs = seqs
        let forward = try await store.history(query)
        #expect(forward == wanted, "seqs \(seqs) of '\(instance.name)'")
        query.isReversed = true
        let backward = try await store.history(query)
        #expect(backward == wanted.reversed(), "seqs \(seqs) of '\(instance.name)', reversed")
    }
}
