import Statechart
import StoreTesting
import Testing
import WorkflowJSON
import WorkflowStore

extension StoreSuite {
    static let conditions = [
        Check(name: "instances are listed by a condition, in pages of every size", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(forConditions: scribe, writer)
            for (source, test) in tests {
                for var query in bases(source, at: scribe.last) {
                    let own = scribe.instances.values.filter { isBase($0, query, scribe) }
                    let wanted = own.filter { test(Examined($0, scribe)) }.map(\.name.rawValue).sorted()
                    for limit in [1, 4, 1_000] {
                        query.limit = limit
                        let (found, examination) = try await all(query, store)
                        #expect(found.sorted() == wanted, "\(source), \(query)")
                        // A page looks one match ahead, to know that there is a next page.
                        #expect(examination.examined >= Int64(own.count) && examination.failed == 0, "\(source)")
                        if limit == 1_000 { #expect(examination.examined == Int64(own.count), "\(source)") }
                    }
                    guard query.order == .name else { continue }
                    let names = try await all(query, store).names
                    #expect(names == wanted.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
                }
            }
        },
        Check(name: "a condition without a value selects nothing and is counted", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(forConditions: scribe, writer)
            let source = "machine == 'fax' ? context.missing == 1 : true"
            let query = InstanceQuery(
                condition: try condition(source, at: scribe.last), order: .name, limit: 1_000)
            let (found, examination) = try await all(query, store)
            let faxes = scribe.instances.values.filter {
                Examined($0, scribe).machine == "fax" && $0.status != .purging
            }
            #expect(examination.failed == Int64(faxes.count) && !faxes.isEmpty)
            #expect(found.count + faxes.count == Int(examination.examined))
            #expect(examination.first?.instance.rawValue == faxes.map(\.name.rawValue).min())
            #expect(examination.first?.message.contains("missing") == true)
        },
        Check(name: "a selection takes a condition and a begin of names") { (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(forConditions: scribe, writer)
            for (source, test) in tests {
                var filter = InstanceQuery(prefix: "c-1", limit: 0)
                filter.condition = try condition(source, at: scribe.last)
                let own = scribe.instances.values.filter { isBase($0, filter, scribe) }
                for limit in [1, 7, 1_000] {
                    var query = SelectionQuery(filter, limit: limit)
                    var (found, examination): ([String], InstanceExamination) = ([], InstanceExamination())
                    while true {
                        let slice = try await store.selection(query, in: .default)
                        found += slice.instances.map(\.name.rawValue)
                        examination.add(slice.examination)
                        guard let next = slice.next else { break }
                        query.after = next
                    }
                    #expect(found.sorted() == own.filter { test(Examined($0, scribe)) }.map(\.name.rawValue).sorted())
                    #expect(examination.examined == Int64(own.count), "\(source), limit \(limit)")
                }
            }
        },
    ]

    /// An instance as a condition sees it.
    private struct Examined {
        let record: InstanceRecord
        let machine: String
        let version: Int64

        init(_ record: InstanceRecord, _ scribe: Scribe) {
            self.record = record
            let own = scribe.machines.first { $0.id == record.machineID }
            machine = own?.name.rawValue ?? ""
            version = own?.version.rawValue ?? 0
        }
    }

    /// Conditions, each with the same test in plain Swift. Instances of the suite have an empty context.
    private static let tests: [(String, @Sendable (Examined) -> Bool)] = [
        ("true", { _ in true }), ("false", { _ in false }),
        ("status == 'failed'", { $0.record.status == .failed }),
        ("machine == 'order' && version == 2", { $0.machine == "order" && $0.version == 2 }),
        (
            "name.endsWith('7') || name == 'c-10'",
            {
                $0.record.name.rawValue.hasSuffix("7") || $0.record.name == "c-10"
            }
        ),
        ("state == 'review'", { $0.record.state.configuration == "review" }),
        ("state.contains('finance.ok')", { $0.record.state.configuration.contains("finance.ok") }),
        ("size(context) >= 0 && !has(context.missing)", { _ in true }),
        ("status != 'failed' && context.?n.orValue(1) == 1", { $0.record.status != .failed }),
        ("failure != null && failure.event == 'go'", { $0.record.status == .failed }),
        ("createdAt == updatedAt", { $0.record.created == $0.record.updated }),
        (
            "updatedAt - createdAt > inState",
            { instance in
                let record = instance.record
                return record.updated.rawValue - record.created.rawValue > last - record.entered.rawValue
            }
        ),
    ]

    /// A time after all of the scribe's.
    private static let last: Int64 = 10_000_000_000_000

    private static func condition(_ source: String, at time: Timestamp) throws -> DatedCondition {
        DatedCondition(try InstanceCondition(source), at: Timestamp(rawValue: last)) { failure, _, _ in
            try? JSONReader.value(from: failure)
        }
    }

    private static func bases(_ source: String, at time: Timestamp) -> [InstanceQuery] {
        // A condition of the list compiles.
        guard let condition = try? condition(source, at: time) else { return [] }
        return [
            InstanceQuery(condition: condition, limit: 0), InstanceQuery(condition: condition, order: .name, limit: 0),
            InstanceQuery(prefix: "c-1", condition: condition, order: .name, limit: 0),
            InstanceQuery(prefix: "c-1", condition: condition, limit: 0),
            InstanceQuery(
                machines: ["order"], statuses: [.failed, .running], states: ["review"], condition: condition, limit: 0),
        ]
    }

    /// Returns true if the criteria besides the condition select an instance.
    private static func isBase(_ record: InstanceRecord, _ query: InstanceQuery, _ scribe: Scribe) -> Bool {
        let leaves = record.state.configuration.split(separator: ",").map(String.init)
        return record.status != .purging && record.name.rawValue.hasPrefix(query.prefix ?? "")
            && (query.machines.isEmpty || Examined(record, scribe).machine == "order")
            && (query.statuses.isEmpty || query.statuses.contains(record.status))
            && (query.states.isEmpty || leaves.contains { $0 == "review" || $0.hasPrefix("review.") })
    }

    private static func all(
        _ query: InstanceQuery, _ store: any WorkflowStore
    ) async throws -> (names: [String], examination: InstanceExamination) {
        var query = query
        var (names, examination): ([String], InstanceExamination) = ([], InstanceExamination())
        for _ in 0..<1_000 {
            let page = try await store.instances(query)
            names += page.instances.map(\.name.rawValue)
            examination.add(page.examination)
            guard let next = page.next else { return (names, examination) }
            query.after = next
        }
        Issue.record("the pages do not end")
        return (names, examination)
    }

    private static func populate(forConditions scribe: Scribe, _ writer: any StoreWriter) throws {
        let machines = [scribe.apply("order"), scribe.apply("fax"), scribe.apply("order", source: "id: order\n# 2\n")]
        let states = ["idle", "review", "review.legal.pending,review.finance.ok"]
        for number in 0..<30 {
            scribe.start("c-\(number)", machines[number % 3])
            if number % 5 == 0 { continue }
            let status = InstanceStatus.allCases[number / 3 % InstanceStatus.allCases.count]
            scribe.send(
                "c-\(number)", to: states[number / 2 % 3], status: status,
                failure: status == .failed ? #"{"event":"go","message":"m","type":"livelock"}"# : nil)
        }
        try scribe.commit(writer)
    }
}
