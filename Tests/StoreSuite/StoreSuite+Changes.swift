import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of recorded changes, and of the list of changes and deletions.
    static let changes = [
        Check(name: "a change is read as it was written") { store, writer in
            let scribe = Scribe(writer)
            scribe.apply("example")
            let written = [
                scribe.change(.apply, of: "example", version: 1, by: "ana"),
                scribe.change(.hold, reason: "night"), scribe.change(.token, of: "shop", number: 3, by: "bob"),
            ]
            try scribe.commit(writer)
            let page = try await store.audits(AuditQuery(limit: 10), in: .default)
            #expect(page == AuditPage(entries: written.reversed().map(AuditEntry.change)))
            let other = NamespaceID(rawValue: 7)
            #expect(try await store.audits(AuditQuery(limit: 10), in: other).entries.isEmpty)
        },
        Check(name: "the highest number of a change of tokens is found") { _, writer, open in
            let scribe = Scribe(writer)
            #expect(try writer.lastChangeNumber() == nil)
            scribe.change(.hold)
            try scribe.commit(writer)
            #expect(try writer.lastChangeNumber() == nil)
            for number in [0, 7, 9] { scribe.change(.token, of: "shop", number: Int64(number)) }
            scribe.change(.release)
            try scribe.commit(writer)
            #expect(try writer.lastChangeNumber() == 9)
            try writer.close()
            #expect(try open().writer().lastChangeNumber() == 9)
        },
        Check(name: "deletions and changes are one list in the order of their positions, in pages of any size") {
            (store, writer) async throws in
            let written = try listed(writer)
            for limit in 1...written.count + 1 {
                var query = AuditQuery(limit: limit)
                var found: [AuditEntry] = []
                repeat {
                    let page = try await store.audits(query, in: .default)
                    #expect(page.entries.count <= limit)
                    found += page.entries
                    query.before = page.next
                } while query.before != nil
                #expect(found == written, "pages of \(limit)")
            }
        },
        Check(name: "the list is filtered by kind, actor and time") { (store, writer) async throws in
            try await expectFilters(store, try listed(writer))
        },
        Check(name: "an actor without brackets is found with and without them") { (store, writer) async throws in
            let scribe = Scribe(writer)
            let actors: [Actor] = [
                "token:sso", "token:sso(ana)", "token:sso2", "token:sso(bob)", "token:s", "token:SSO(",
            ]
            for actor in actors { scribe.change(.hold, by: actor) }
            scribe.change(.hold)
            try scribe.commit(writer)
            func found(_ actor: Actor) async throws -> [Actor?] {
                try await store.audits(AuditQuery(actor: actor, limit: 10), in: .default).entries.compactMap(\.change)
                    .map(\.actor).reversed()
            }
            #expect(try await found("token:sso") == ["token:sso", "token:sso(ana)", "token:sso(bob)"])
            #expect(try await found("token:sso(ana)") == ["token:sso(ana)"])
            for none: Actor in ["token:", "token:ss", "token:sso(", "token:%", "token"] {
                #expect(try await found(none).isEmpty, "\(none)")
            }
        },
        Check(name: "an accepted clock is recorded at its own time") { store, writer in
            let scribe = Scribe(writer)
            scribe.change(.hold)
            try scribe.commit(writer)
            let now = Timestamp(rawValue: 1)
            _ = try writer.acceptClock(now, by: "ana")
            let entry = try await store.audits(AuditQuery(limit: 1), in: .default).entries.first
            let change = try #require(entry?.change)
            #expect(change.action == .clock && change.at == now && change.actor == "ana")
            #expect(writer.numbers(in: .first).nextPosition == change.position.next)
        },
    ]

    /// Writes changes and deletions in turn, and returns them, latest first.
    private static func listed(_ writer: any StoreWriter) throws -> [AuditEntry] {
        let scribe = Scribe(writer)
        scribe.apply("example")
        let names = (0..<1_000).map { "i\($0)" }.filter { scribe.partition(of: $0) == writer.partitions[0] }.prefix(2)
        for name in names { scribe.start(name) }
        var written: [AuditEntry] = [.change(scribe.change(.hold, by: "ana"))]
        for name in names {
            written.append(.deletion(scribe.delete(name)))
            written.append(.change(scribe.change(name == names[0] ? .release : .hold)))
        }
        try scribe.commit(writer)
        return written.reversed()
    }

    private static func expectFilters(_ store: any WorkflowStore, _ written: [AuditEntry]) async throws {
        func expect(_ query: AuditQuery, _ count: Int, where takes: (AuditEntry) -> Bool) async throws {
            let found = try await store.audits(query, in: .default)
            #expect(found.entries == written.filter(takes) && found.entries.count == count, "\(query)")
        }
        try await expect(AuditQuery(kind: .deletion, limit: 10), 2) { $0.change == nil }
        try await expect(AuditQuery(kind: .change(.hold), limit: 10), 2) { $0.change?.action == .hold }
        try await expect(AuditQuery(actor: "ana", limit: 10), 1) { $0.change?.actor == "ana" }
        try await expect(AuditQuery(kind: .deletion, actor: "ana", limit: 10), 0) { _ in false }
        let middle = try #require(written[2].change).at
        try await expect(AuditQuery(since: middle, limit: 10), 3) { entry in
            switch entry {
            case .deletion(let audit): audit.at >= middle
            case .change(let change): change.at >= middle
            }
        }
        try await expect(AuditQuery(since: Timestamp(rawValue: middle.rawValue + 1_000_000), limit: 10), 0) { _ in
            false
        }
    }
}

extension AuditEntry {
    /// The change; `nil` for a deletion.
    fileprivate var change: ChangeRecord? { if case .change(let change) = self { change } else { nil } }
}
