import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let lists = [
        Check(name: "machines are listed in the order of their names' bytes, latest versions only") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            for name in ["b", "a", "Z", "b", "a.c", "a", "a", "é"] { scribe.apply(name) }
            try scribe.commit(writer)
            let all = try await store.machines(after: nil, limit: 10)
            #expect(all.map(\.name) == ["Z", "a", "a.c", "b", "é"])
            #expect(all.map(\.version) == [1, 3, 1, 2, 1])
            #expect(try await store.machines(after: nil, limit: 2) == Array(all.prefix(2)))
            #expect(try await store.machines(after: "a", limit: 2) == Array(all[2..<4]))
            #expect(try await store.machines(after: "é", limit: 2) == [])
            #expect(try await store.machine(named: "a", version: nil)?.version == 3)
            #expect(try await store.machine(named: "a", version: 2)?.version == 2)
            #expect(try await store.machine(named: "a", version: 4) == nil)
            #expect(try await store.machineNames(limit: 3) == ["é", "a", "a.c"])
        },
        Check(name: "instances are listed by every filter, in pages of every size", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            for query in queries {
                let wanted = expected(query, scribe)
                for limit in [1, 2, 7, 1_000] {
                    var page = query
                    page.limit = limit
                    #expect(try await allPages(page, store) == wanted, "\(query), limit \(limit)")
                }
            }
        },
        Check(name: "names near a name come from both of its sides") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            for name in ["a", "b", "c", "d", "e", "f", "g"] { scribe.start(name) }
            scribe.send("e", to: "idle", status: .purging)
            try scribe.commit(writer)
            #expect(try await store.instanceNames(near: "dd", limit: 4) == ["c", "d", "f", "g"])
            #expect(try await store.instanceNames(near: "zz", limit: 3) == ["d", "f", "g"])
            #expect(try await store.instanceNames(near: "", limit: 3) == ["a", "b", "c"])
            #expect(try await store.instanceNames(near: "c", limit: 1) == ["c"])
            #expect(try await store.instanceNames(near: "c", limit: 0) == [])
        },
        Check(name: "the last page of instances names no next one") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            for number in 0..<4 { scribe.start("order-\(number)") }
            try scribe.commit(writer)
            let page = try await store.instances(InstanceQuery(limit: 4))
            #expect(page.instances.count == 4 && page.next == nil)
            #expect(try await store.instances(InstanceQuery(limit: 3)).next != nil)
        },
    ]

    private static let states = ["idle", "review.legal.pending,review.finance.ok", "review", "reviewed", "packing"]

    private static let queries: [InstanceQuery] = {
        let machines: [MachineName?] = [nil, "order", "refund", "none"]
        let statuses: [InstanceStatus?] = [nil] + InstanceStatus.allCases.map { $0 }
        let paths = [nil, "review", "review.legal", "review.finance.ok", "idle", "nowhere"]
        return machines.flatMap { machine in
            statuses.flatMap { status in
                paths.map { InstanceQuery(machine: machine, status: status, state: $0, limit: 0) }
            }
        }
    }()

    /// Two machines, three versions, sixty instances in all statuses and states.
    private static func populate(_ scribe: Scribe, _ writer: any StoreWriter) throws {
        let machines = [scribe.apply("order"), scribe.apply("refund"), scribe.apply("order")]
        for number in 0..<60 {
            let name = "i\(number)"
            scribe.start(name, machines[number % 3])
            scribe.send(
                name, to: states[number % states.count],
                status: InstanceStatus.allCases[number / 7 % InstanceStatus.allCases.count])
        }
        try scribe.commit(writer)
    }

    /// By brute force.
    private static func expected(_ query: InstanceQuery, _ scribe: Scribe) -> [InstanceName] {
        scribe.instances.values
            .filter { instance in
                let machine = scribe.machines.first { $0.id == instance.machineID }
                let leaves = instance.state.configuration.split(separator: ",").map(String.init)
                let isInState = query.state.map { state in
                    leaves.contains { $0 == state || $0.hasPrefix(state + ".") }
                }
                return instance.status != .purging && query.machine ?? machine?.name == machine?.name
                    && query.status ?? instance.status == instance.status && isInState ?? true
            }
            .sorted {
                ($0.machineID.rawValue, $0.status.rawValue, $0.id.rawValue)
                    < ($1.machineID.rawValue, $1.status.rawValue, $1.id.rawValue)
            }
            .map(\.name)
    }

    private static func allPages(_ query: InstanceQuery, _ store: any WorkflowStore) async throws -> [InstanceName] {
        var query = query
        var names: [InstanceName] = []
        for _ in 0..<1_000 {
            let page = try await store.instances(query)
            #expect(page.instances.count <= query.limit)
            names += page.instances.map(\.name)
            guard let next = page.next else { return names }
            query.after = next
        }
        Issue.record("the pages do not end")
        return names
    }
}
