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
        Check(name: "instances are listed by the version of their machine", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            for machines in [["order"], ["seldom"], ["order", "refund"], []] as [[MachineName]] {
                for versions in [[1], [2], [2, 1], [3]] as [[MachineVersion]] {
                    for order in InstanceOrder.allCases.map(Optional.some) + [nil] {
                        for prefix in [nil, "i1"] {
                            var query = InstanceQuery(
                                prefix: prefix, machines: machines, versions: versions, order: order, limit: 0)
                            let wanted = expected(query, scribe)
                            if prefix == nil, machines != ["seldom"] {
                                #expect(wanted.isEmpty == (versions == [3]))
                            }
                            for limit in [1, 7, 1_000] {
                                query.limit = limit
                                #expect(try await allPages(query, store) == wanted, "\(query)")
                            }
                        }
                    }
                }
            }
        },
        Check(name: "instances are listed in every order, in pages of every size", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            for order in InstanceOrder.allCases {
                for var query in queries where query.states.isEmpty || query.states == ["review"] {
                    query.order = order
                    let wanted = expected(query, scribe)
                    for limit in [1, 7, 1_000] {
                        query.limit = limit
                        #expect(try await allPages(query, store) == wanted, "\(query), limit \(limit)")
                    }
                }
            }
        },
        Check(name: "instances are listed in every order behind many that are gone", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            for number in 60..<300 { scribe.start("i\(number)") }
            try scribe.commit(writer)
            let gone = (20..<280).map { "i\($0)" }.filter { scribe.instances[$0]?.status != .purging }
            for name in gone { scribe.delete(name) }
            try scribe.commit(writer)
            for partition in Set(gone.map { scribe.partition(of: $0) }) { try sweep(writer, partition, rows: 10_000) }
            for order in InstanceOrder.allCases {
                for statuses in [[], [.failed]] as [[InstanceStatus]] {
                    let query = InstanceQuery(statuses: statuses, order: order, limit: 7)
                    let wanted = expected(query, scribe)
                    #expect(!wanted.isEmpty)
                    #expect(try await allPages(query, store) == wanted, "\(query)")
                }
            }
        },
        Check(name: "instances are listed by their age and by why they failed", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            let times = Set(scribe.instances.values.map(\.entered)).sorted()
            let some = [times[0], times[times.count / 2], times[times.count - 1]]
            for before in some + some.map({ Timestamp(rawValue: $0.rawValue - 1) }) {
                for order in [nil, InstanceOrder.age] {
                    let query = InstanceQuery(enteredBefore: before, order: order, limit: 7)
                    #expect(try await allPages(query, store) == expected(query, scribe), "\(query)")
                }
            }
            let updates = Set(scribe.instances.values.map(\.updated)).sorted()
            for time in [updates[0], updates[updates.count / 2], updates[updates.count - 1]] {
                for order in [nil, InstanceOrder.age] {
                    let query = InstanceQuery(updatedAfter: time, order: order, limit: 7)
                    let found = try await allPages(query, store)
                    #expect(found == expected(query, scribe), "\(query)")
                    #expect(found.isEmpty == (time == updates.last), "\(query)")
                }
            }
            // In the three reasons, 'type' is only a key, and 'string + int' stands in one part of one reason.
            for (text, isThere) in [("string + int", true), ("packing", true), ("type", false), ("\"", true)] {
                let query = InstanceQuery(failures: [text], limit: 2)
                let found = try await allPages(query, store)
                #expect(found == expected(query, scribe), "\(query)")
                #expect(found.isEmpty != isThere, "\(text)")
            }
        },
        Check(name: "instances are listed by the begin of their names", marks: [.pagesOfInstances]) {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            try populateNames(scribe, writer)
            let prefixes = [
                "order-1", "order-10", "order-10x", "order-", "o", "a", "a%", "a_", "%", "_", "a~", "a:", "Z",
                "\u{10FFFF}",
                "a\u{10FFFF}", "a\u{D7FF}", "é", "e", "", String(repeating: "a", count: 300),
            ]
            for prefix in prefixes {
                for order in InstanceOrder.allCases.map(Optional.some) + [nil] {
                    for machines in [[], ["order"], ["none", "refund"]] as [[MachineName]] {
                        for statuses in [[], [.failed, .done]] as [[InstanceStatus]] {
                            var query = InstanceQuery(
                                prefix: prefix, machines: machines, statuses: statuses, order: order, limit: 0)
                            let wanted = expected(query, scribe)
                            for limit in [1, 3, 1_000] {
                                query.limit = limit
                                #expect(try await allPages(query, store) == wanted, "\(query)")
                            }
                        }
                    }
                }
            }
            // A place before the range, as a forged token has it, leads to the range's begin.
            let before = InstanceListPosition.ranked(
                InstanceRank(time: 0, name: "Z", id: InstanceID(rawValue: 1)))
            let query = InstanceQuery(prefix: "order-10", order: .name, limit: 9, after: before)
            #expect(try await allPages(query, store) == ["order-10", "order-100", "order-101"])
        },
        Check(name: "the tally counts what is there, by status and configuration") { (store, writer) async throws in
            let scribe = Scribe(writer)
            try populate(scribe, writer)
            try await expectTally(scribe, store)
            // Two rows in one batch, a way back, and a batch of which nothing is counted elsewhere.
            for name in ["i1", "i2", "i3"] { scribe.send(name, to: "review") }
            scribe.send("i2", to: "packing", status: .failed)
            scribe.send("i3", to: "packing", status: .done)
            try scribe.commit(writer)
            try await expectTally(scribe, store)
            scribe.send("i1", to: "packing")
            scribe.send("i1", to: "review")
            try scribe.commit(writer)
            try await expectTally(scribe, store)
            // Several batches in one transaction.
            scribe.send("i1", to: "elsewhere")
            let first = scribe.takeAll()
            scribe.send("i1", to: "nowhere")
            try writer.commit(first + scribe.takeAll())
            try await expectTally(scribe, store)
        },
        Check(name: "names near a name come from both of its sides") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            for name in ["a", "b", "c", "d", "e", "f", "g"] { scribe.start(name) }
            scribe.delete("e")
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
        let machines: [[MachineName]] = [
            [], ["order"], ["refund"], ["seldom"], ["none"], ["seldom", "none", "refund"],
        ]
        let statuses = [[]] + InstanceStatus.allCases.map { [$0] } + [[.suspended, .failed]]
        let paths = [
            [], ["review"], ["review.legal"], ["review.finance.ok"], ["idle"], ["nowhere"],
            ["packing", "idle", "nowhere"],
        ]
        return machines.flatMap { machines in
            statuses.flatMap { status in
                paths.map { InstanceQuery(machines: machines, statuses: status, states: $0, limit: 0) }
            }
        }
    }()

    private static let failures = [
        #"{"event":"go","message":"no such overload: string + int","state":"packing","type":"expression-failed"}"#,
        #"{"event":"go","message":"says \"no\"","type":"livelock"}"#,
    ]

    /// Writes three machines, four versions, and sixty instances in all statuses and states. One machine has few
    /// instances.
    private static func populate(_ scribe: Scribe, _ writer: any StoreWriter) throws {
        let machines = [scribe.apply("order"), scribe.apply("refund"), scribe.apply("order", semantics: 2)]
        let seldom = scribe.apply("seldom")
        for number in 0..<60 {
            let name = "i\(number)"
            scribe.start(name, number % 28 == 5 ? seldom : machines[number % 3])
            let status = InstanceStatus.allCases[number / 7 % InstanceStatus.allCases.count]
            scribe.send(
                name, to: states[number % states.count], status: status,
                failure: status == .failed ? failures[number % failures.count] : nil)
        }
        try scribe.commit(writer)
        // The order of changes is none of the others.
        for number in stride(from: 58, to: 0, by: -7) {
            let instance = scribe.instances["i\(number)"]
            if instance?.status == .purging { continue }
            scribe.send(
                "i\(number)", to: states[number % states.count], status: instance?.status ?? .running,
                failure: instance?.failure)
        }
        try scribe.commit(writer)
    }

    /// Writes instances with odd names, in an order that is not that of the names.
    private static func populateNames(_ scribe: Scribe, _ writer: any StoreWriter) throws {
        let machines = [scribe.apply("order"), scribe.apply("refund"), scribe.apply("order")]
        let names = [
            "order-2", "order-100", "order-1", "order-10", "order-101", "order-11", "Order-1", "a%b", "a_b", "axb",
            "a%",
            "a", "a~", "a:", "b", "Z", "%", "_", "order-",
        ]
        for (number, name) in names.enumerated() {
            scribe.start(name, machines[number % 3])
            if name == "order-11" { scribe.send(name, to: "idle", status: .purging) }
            if number % 4 == 1 { scribe.send(name, to: "packing", status: .failed, failure: failures[0]) }
            if number % 4 == 2 { scribe.send(name, to: "packing", status: .done) }
        }
        try scribe.commit(writer)
    }

    private static func expectTally(_ scribe: Scribe, _ store: any WorkflowStore) async throws {
        for machines in [[], ["order"], ["refund"], ["none"], ["none", "order", "seldom"]] as [[MachineName]] {
            for bound in [nil, 2] as [Int64?] {
                var wanted: [TallyKey: Int64] = [:]
                for instance in scribe.instances.values where instance.status != .purging {
                    guard let own = scribe.machines.first(where: { $0.id == instance.machineID }),
                        machines.isEmpty || machines.contains(own.name), own.semantics < bound ?? 3
                    else { continue }
                    wanted[TallyKey(instance), default: 0] += 1
                }
                for limit in [3, 1_000] {
                    var found: [TallyRecord] = []
                    repeat {
                        let page = try await store.tally(
                            TallyQuery(
                                machines: machines, semanticsBelow: bound, limit: limit, after: found.last?.key))
                        found += page
                        if page.count < limit { break }
                    } while true
                    #expect(Dictionary(found.map { ($0.key, $0.count) }) { $0 + $1 } == wanted)
                    #expect(Set(found.map(\.key)).count == found.count)
                    let numbers = Dictionary(scribe.machines.map { ($0.id, $0.semantics) }) { first, _ in first }
                    #expect(found.allSatisfy { $0.semantics == numbers[$0.key.machineID] })
                }
            }
        }
    }

    /// Computes the result of a query by brute force.
    private static func expected(_ query: InstanceQuery, _ scribe: Scribe) -> [InstanceName] {
        scribe.instances.values
            .filter { instance in
                let machine = scribe.machines.first { $0.id == instance.machineID }
                let leaves = instance.state.configuration.split(separator: ",").map(String.init)
                let isInState = query.states.contains { state in
                    leaves.contains { $0 == state || $0.hasPrefix(state + ".") }
                }
                let isOld = query.enteredBefore.map { instance.entered <= $0 } ?? true
                let isAhead = query.updatedAfter.map { instance.updated > $0 } ?? true
                let hasFailed = query.failures.contains { text in
                    let told = ["string + int": 0, "packing": 0, "\"": 1][text].map { failures[$0] }
                    return instance.failure != nil && instance.failure == told
                }
                let isNamed = instance.name.rawValue.utf8.starts(with: (query.prefix ?? "").utf8)
                return isNamed && instance.status != .purging
                    && (query.machines.isEmpty || query.machines.contains { $0 == machine?.name })
                    && (query.versions.isEmpty || query.versions.contains { $0 == machine?.version })
                    && (query.statuses.isEmpty || query.statuses.contains(instance.status))
                    && (query.states.isEmpty || isInState) && isOld && isAhead && (query.failures.isEmpty || hasFailed)
            }
            .sorted { one, other in
                switch query.order {
                case .age: (one.entered, one.id) < (other.entered, other.id)
                case .updated: (other.updated, one.id) < (one.updated, other.id)
                case .name: one.name.rawValue.utf8.lexicographicallyPrecedes(other.name.rawValue.utf8)
                case nil:
                    (one.machineID.rawValue, one.status.rawValue, one.id.rawValue)
                        < (other.machineID.rawValue, other.status.rawValue, other.id.rawValue)
                }
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
