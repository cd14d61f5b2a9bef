import Statechart
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of the journal in the order of positions.
    static let journal: [Check] = [
        Check(name: "the journal is read in the order of positions, each row once") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let names = try interleaved(scribe, writer, rows: 300)
            for partition in store.partitions {
                let own = names.filter { scribe.partition(of: $0) == partition }
                let rows = own.flatMap { scribe.history[$0] ?? [] }.sorted { $0.position < $1.position }
                for bytes in [1, 2_000, 1 << 20] {
                    let read = try await whole(.beginning(of: partition), bytes: bytes, store)
                    #expect(read.map(\.row) == rows, "\(bytes) bytes")
                    let instances = Dictionary(
                        own.map { (scribe.instances[$0]?.id, $0) }, uniquingKeysWith: { $1 })
                    #expect(read.allSatisfy { instances[$0.row.instanceID] == $0.instance.rawValue })
                }
                guard rows.count > 1 else { continue }
                let behind = try await whole(rows[rows.count / 2].position, bytes: 1 << 20, store)
                #expect(behind.map(\.row) == Array(rows[(rows.count / 2 + 1)...]))
            }
        },
        Check(name: "a filter of the journal says what is read, its place goes on") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let machine = scribe.apply("order")
            scribe.start("first")
            for _ in 0..<5 { scribe.send("first") }
            scribe.apply("other")
            scribe.start("second")
            try scribe.commit(writer)
            let partition = scribe.partition(of: "first")
            var query = JournalQuery(after: .beginning(of: partition), bytes: 1 << 20)
            query.filter.machines = [machine.name]
            let ours = try await whole(query, store)
            #expect(ours.rows.map(\.row) == scribe.history["first"])
            #expect(ours.rows.allSatisfy { $0.machine == machine.name && $0.version == machine.version })
            query.filter.machines = ["none"]
            let none = try await whole(query, store)
            let latest = scribe.partition(of: "second") == partition ? "second" : "first"
            let last = scribe.history[latest]?.last?.position
            #expect(none.rows.isEmpty && none.isLast && none.through == last)
            query.filter = JournalFilter(kinds: [.started])
            let started = try await whole(query, store)
            #expect(started.rows.allSatisfy { $0.row.kind == .started } && !started.rows.isEmpty)
            let elsewhere = try await store.journal(query, in: NamespaceID(rawValue: 7))
            #expect(elsewhere.rows.isEmpty)
        },
        Check(name: "a part of the journal ends where it is to, and its rows are lent as they are") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            _ = try interleaved(scribe, writer, rows: 100)
            for partition in store.partitions {
                let beginning = Position.beginning(of: partition)
                let all = try await whole(beginning, bytes: 1 << 20, store)
                guard let half = all.dropFirst(all.count / 2).first?.row.position else { continue }
                for bytes in [1, 1 << 20] {
                    var query = JournalQuery(after: beginning, through: half, bytes: bytes)
                    var lent: [String] = []
                    while query.after < half {
                        let (some, reach) = try await store.journal(query, in: .default, into: [String]()) {
                            $0.append(text(of: $1))
                        }
                        #expect(!reach.isLast)
                        try #require(reach.through > query.after, "a slice goes on")
                        lent += some
                        query.after = reach.through
                    }
                    #expect(query.after == half)
                    #expect(lent == all.prefix { $0.row.position <= half }.map { $0.lend(text) })
                }
            }
        },
        Check(name: "a journal without rows ends at once") { (store, _) async throws in
            let beginning = Position.beginning(of: .first)
            let slice = try await store.journal(JournalQuery(after: beginning, bytes: 100), in: .default)
            #expect(slice == JournalSlice(through: beginning, isLast: true))
        },
    ]

    /// Returns all fields of a lent row.
    private static func text(of listed: LentListedRow) -> String {
        let row = listed.row
        let texts = [listed.instance, row.kind, row.event, row.from, row.to].map { String(decoding: $0, as: UTF8.self) }
        let others = [row.data, row.actor, row.key, row.note].map { $0.map { String(decoding: $0, as: UTF8.self) } }
        return "\(row.position) \(row.seq) \(row.at) \(String(describing: row.real)) \(texts) \(others) "
            + "\(row.isRedacted) \(row.isRetry) \(listed.machine) \(listed.version)"
    }

    /// Returns all rows of a query, read slice by slice.
    private static func whole(_ query: JournalQuery, _ store: any WorkflowStore) async throws -> JournalSlice {
        var slice = try await store.journal(query, in: .default)
        while !slice.isLast {
            var next = query
            next.after = slice.through
            let rows = slice.rows
            slice = try await store.journal(next, in: .default)
            slice.rows = rows + slice.rows
        }
        return slice
    }

    /// Returns all rows after a place, read slice by slice.
    private static func whole(
        _ place: Position, bytes: Int, _ store: any WorkflowStore
    ) async throws -> [ListedRow] {
        var rows: [ListedRow] = []
        var query = JournalQuery(after: place, bytes: bytes)
        while true {
            let slice = try await store.journal(query, in: .default)
            rows += slice.rows
            if slice.isLast { return rows }
            try #require(slice.through > query.after, "a slice goes on")
            query.after = slice.through
        }
    }
}
