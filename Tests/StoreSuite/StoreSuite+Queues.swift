import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let queues = [
        Check(name: "what is set for queues comes back in pages of every size, and standard settings go") {
            (store, writer) async throws in
            var records = [
                queue("exec:Zip", QueueSettings(concurrency: 0)),
                queue("http:pay.example.com:443", QueueSettings(rate: 100, rateMilliseconds: 1_000)),
                queue("task:pack", QueueSettings(concurrency: 3, rate: 1, rateMilliseconds: 1, isPaused: true)),
                queue("task:pack-2", QueueSettings(isPaused: true), by: nil),
            ]
            #expect(try writer.queueRecords(after: nil, limit: 5) == [])
            try write(records.reversed(), writer)
            let view = writer.view
            for limit in 1...5 {
                for lookup in [writer, view] as [any StoreLookup] {
                    var found: [QueueRecord] = []
                    while true {
                        let page = try lookup.queueRecords(after: found.last?.name, limit: limit)
                        found += page
                        if page.count < limit { break }
                    }
                    #expect(found == records, "limit \(limit)")
                }
            }
            view.release()
            records[1].settings.isPaused = true
            records[1].set = Timestamp(rawValue: 9)
            let gone = queue(records[0].name, .standard)
            let unknown = queue("task:none", .standard)
            try write([records[1], gone, unknown], writer)
            #expect(try writer.queueRecords(after: nil, limit: 9) == Array(records.dropFirst()))
        },
        Check(name: "settings that cannot be break a constraint") { (store, writer) async throws in
            let wrongs = [
                queue("", QueueSettings(isPaused: true)), queue("task:q", QueueSettings(concurrency: -1)),
                queue("task:q", QueueSettings(rate: 0, rateMilliseconds: 1)),
                queue("task:q", QueueSettings(rate: 1)), queue("task:q", QueueSettings(rateMilliseconds: 1)),
                queue("task:q", QueueSettings(rate: 1, rateMilliseconds: 0)),
            ]
            for wrong in wrongs { #expect { try write([wrong], writer) } throws: { code($0) == .constraint } }
            #expect(try writer.queueRecords(after: nil, limit: 5) == [])
        },
        Check(name: "a hold lasts until somebody ends it, also when the store is opened again") {
            (store, writer, open) async throws in
            #expect(try !writer.isHeld())
            try hold(true, writer)
            #expect(try writer.isHeld() && writer.view.isHeld())
            writer.view.release()
            // A batch that does not mention the hold leaves it in place.
            try write([queue("task:q", QueueSettings(isPaused: true))], writer)
            try writer.close()
            let again = try open().writer()
            #expect(try again.isHeld())
            try hold(false, again)
            #expect(try !again.isHeld())
            try again.close()
        },
        Check(name: "queues are listed with what waits in them, in pages of every size") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta", "gamma"])
            let all = try many(scribe, writer)
            let records = [
                queue("a", QueueSettings(concurrency: 1)), queue("task:pack", QueueSettings(isPaused: true)),
            ]
            try write(records, writer)
            for (now, bound) in [(2, 1_000), (0, 3), (99, 1)] as [(Int64, Int)] {
                let wanted = ["a"] + Set(all.map(\.queue)).sorted()
                for limit in [1, 2, 100] {
                    var found: [QueueSummary] = []
                    while true {
                        let page = try await store.queues(
                            QueueQuery(
                                after: found.last?.name, limit: limit, now: Timestamp(rawValue: now), bound: bound))
                        found += page
                        if page.count < limit { break }
                    }
                    #expect(found.map(\.name) == wanted)
                    for summary in found { expect(summary, all, records, now, bound) }
                }
            }
            #expect(try await store.queues(QueueQuery(limit: 0, now: Timestamp(rawValue: 0), bound: 1)) == [])
            try await expectRunningPassedOver(in: store, all)
        },
    ]

    /// Expects that running effects are not counted as the oldest due ones, however many of a queue are running.
    private static func expectRunningPassedOver(in store: any WorkflowStore, _ all: [EffectRecord]) async throws {
        let oldestFirst = all.filter { $0.state == .ready }.sorted { $0.due < $1.due }
        for count in [1, 2, oldestFirst.count / 2, oldestFirst.count] {
            var query = QueueQuery(limit: 100, now: Timestamp(rawValue: 2), bound: 1_000)
            query.running = Set(oldestFirst.prefix(count).map(\.id))
            for summary in try await store.queues(query) {
                let rest = oldestFirst.dropFirst(count).filter { $0.queue == summary.name }
                #expect(summary.oldestDue == rest.first?.due, "\(summary.name) without \(count)")
            }
        }
    }

    private static func expect(
        _ summary: QueueSummary, _ all: [EffectRecord], _ records: [QueueRecord], _ now: Int64, _ bound: Int
    ) {
        let own = all.filter { $0.queue == summary.name }
        func count(_ isMeant: (EffectRecord) -> Bool) -> Int { min(bound, own.count(where: isMeant)) }
        #expect(summary.ready == count { $0.state == .ready && $0.due.rawValue <= now })
        #expect(summary.waiting == count { $0.state == .ready && $0.due.rawValue > now })
        #expect(summary.leased == count { $0.state == .leased } && summary.failed == count { $0.state == .failed })
        #expect(summary.held == count { $0.state == .held } && summary.answered == count { $0.state == .answered })
        #expect(summary.oldestDue == own.filter { $0.state == .ready }.map(\.due).min())
        #expect(summary.record == records.first { $0.name == summary.name })
    }

    private static func queue(_ name: String, _ settings: QueueSettings, by actor: Actor? = "uid:7") -> QueueRecord {
        QueueRecord(name: name, settings: settings, actor: actor, set: Timestamp(rawValue: 5))
    }

    private static func write(_ queues: [QueueRecord], _ writer: any StoreWriter) throws {
        var batch = StoreBatch(numbers: writer.numbers(in: writer.partitions[0]))
        batch.changedQueues = queues
        try writer.commit(batch)
    }

    private static func hold(_ isHeld: Bool, _ writer: any StoreWriter) throws {
        var batch = StoreBatch(numbers: writer.numbers(in: writer.partitions[0]))
        batch.isHeld = isHeld
        try writer.commit(batch)
    }
}
