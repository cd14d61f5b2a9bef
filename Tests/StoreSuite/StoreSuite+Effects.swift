import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let effects = [
        Check(name: "an effect comes back as it was begun and as it was changed, and is gone when it has ended") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            scribe.send("alpha")
            var first = scribe.begin("alpha")
            let second = scribe.begin("alpha", queue: "http:pay.example.com:443") { effect in
                effect.number = nil
                effect.error = "{}"
            }
            try scribe.commit(writer)
            #expect(second.id == first.id.next)
            #expect(try writer.effect(first.id) == first && writer.effect(second.id) == second)
            #expect(try await store.effects([second.id, Position(rawValue: 99), first.id]) == [first, second])
            let before = store.partitions.map(writer.numbers)
            for state in EffectState.allCases {
                first = Self.changed(first, to: state)
                scribe.change(first, of: "alpha")
                try scribe.commit(writer)
                #expect(try writer.effect(first.id) == first)
            }
            #expect(store.partitions.map(writer.numbers) == before)
            scribe.send("alpha")
            scribe.end(first, of: "alpha")
            try scribe.commit(writer)
            #expect(try writer.effect(first.id) == nil)
            #expect(try await store.effects([first.id, second.id]) == [second])
        },
        Check(name: "ready effects come by priority, by when they are due, and by id") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta", "gamma"])
            let all = try Self.many(scribe, writer)
            let view = writer.view
            let places = store.partitions.flatMap { own in (Self.queueNames + ["task:none"]).map { (own, $0) } }
            for (own, queue) in places {
                let ready = all.filter { $0.id.partition == own && $0.queue == queue && $0.state == .ready }
                    .sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }
                for time in [nil] + ready.map(\.due) as [Timestamp?] {
                    let next = ready.map(\.due).filter { due in time.map { due > $0 } ?? true }.min()
                    #expect(try writer.nextReady(in: own, queue: queue, after: time) == next)
                    #expect(try view.nextReady(in: own, queue: queue, after: time) == next)
                }
                for due in Int64(0)...4 {
                    let due = Timestamp(rawValue: due)
                    let wanted = ready.filter { $0.due <= due }
                    for limit in [0, 1, 2, 5, 100] {
                        let found = try writer.readyEffects(in: own, queue: queue, due: due, limit: limit) { _ in
                            false
                        }
                        #expect(found == Array(wanted.prefix(limit)), "\(queue), \(due), \(limit)")
                        let odd = try writer.readyEffects(in: own, queue: queue, due: due, limit: limit) {
                            $0.rawValue.isMultiple(of: 2)
                        }
                        #expect(odd == Array(wanted.filter { !$0.id.rawValue.isMultiple(of: 2) }.prefix(limit)))
                    }
                    #expect(
                        try view.readyEffects(in: own, queue: queue, due: due, limit: 100) { _ in false } == wanted)
                }
            }
            view.release()
        },
        Check(name: "leased effects and the queues come in pages of every size") { (store, writer) async throws in
            #expect(try writer.queues(in: .first, after: nil, limit: 5) == [])
            #expect(try writer.leasedEffects(in: .first, after: nil, limit: 5) == [])
            let scribe = try scribe(writer, instances: ["alpha", "beta", "gamma"])
            let all = try Self.many(scribe, writer)
            let places = store.partitions.flatMap { own in [1, 2, 3, 100].map { (own, $0) } }
            for (own, limit) in places {
                let all = all.filter { $0.id.partition == own }
                var leased: [EffectRecord] = []
                while true {
                    let page = try writer.leasedEffects(in: own, after: leased.last?.id, limit: limit)
                    leased += page
                    if page.count < limit { break }
                }
                #expect(leased == all.filter { $0.state == .leased }, "limit \(limit)")
                let held = try writer.heldEffects(in: own, after: nil, limit: limit)
                #expect(held == Array(all.filter { $0.state == .held }.prefix(limit)))
                let next = try writer.heldEffects(in: own, after: held.last?.id, limit: 100)
                #expect(held + next == all.filter { $0.state == .held })
                var queues: [String] = []
                while true {
                    let page = try writer.queues(in: own, after: queues.last, limit: limit)
                    queues += page
                    if page.count < limit { break }
                }
                #expect(
                    queues == Self.queueNames.filter { name in all.contains { $0.queue == name } }, "limit \(limit)")
            }
        },
        Check(name: "a partition without effects has none of the others") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta", "gamma"])
            let all = try Self.many(scribe, writer)
            let free = PartitionID.range.map(PartitionID.init).first { !store.partitions.contains($0) }
            let other = try #require(free)
            for queue in Self.queueNames {
                #expect(try writer.nextReady(in: other, queue: queue, after: nil) == nil)
                #expect(
                    try writer.readyEffects(in: other, queue: queue, due: Timestamp(rawValue: 4), limit: 9) { _ in
                        false
                    } == [])
            }
            #expect(all.contains { $0.state == .leased } && all.contains { $0.state == .held })
            #expect(try writer.leasedEffects(in: other, after: nil, limit: 9) == [])
            #expect(try writer.heldEffects(in: other, after: nil, limit: 9) == [])
            #expect(try writer.queues(in: other, after: nil, limit: 9) == [])
        },
        Check(name: "effects are listed in the order of their ids, in pages of every size", marks: [.pagesOfEffects]) {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta", "gamma"])
            let all = try Self.many(scribe, writer)
            let names = Dictionary(uniqueKeysWithValues: scribe.instances.values.map { ($0.id, $0.name) })
            for limit in [1, 2, 7, 100] {
                for queues in [[], [Self.queueNames[0]], ["task:none"], Array(Self.queueNames.prefix(2))] {
                    for states in [[], [.ready], [.open], [.ready, .open]] as [[EffectState]] {
                        let listed = try await Self.allPages(
                            EffectQuery(queues: queues, states: states, limit: limit), store)
                        let wanted = all.filter { effect in
                            (queues.isEmpty || queues.contains(effect.queue))
                                && (states.isEmpty || states.contains(effect.state))
                        }
                        #expect(listed.map(\.effect) == wanted)
                        #expect(listed.map(\.instance) == wanted.map { names[$0.instanceID] })
                    }
                }
            }
            let other = try await store.effects(EffectQuery(limit: 100), in: NamespaceID(rawValue: 2))
            #expect(other.effects == [])
            #expect(try await store.effects(EffectQuery(limit: 0)) == EffectPage(effects: [], next: nil))
        },
        Check(name: "changing or ending an effect that is not there breaks a constraint and leaves nothing") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            scribe.send("alpha")
            let effect = scribe.begin("alpha")
            try scribe.commit(writer)
            let numbers = store.partitions.map(writer.numbers)
            var absent = effect
            absent.id = Position(rawValue: effect.id.rawValue + 1_000)
            for isChange in [true, false] {
                scribe.change(Self.changed(effect, to: .leased), of: "alpha")
                var batch = scribe.take()
                if isChange { batch.changedEffects.append(absent) } else { batch.endedEffects.append(absent.id) }
                #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            }
            #expect(store.partitions.map(writer.numbers) == numbers)
            #expect(try writer.effect(effect.id) == effect)
        },
        Check(name: "an effect has a position of its batch that no row has") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            scribe.send("alpha")
            let effect = scribe.begin("alpha")
            try scribe.commit(writer)
            scribe.send("alpha")
            let numbers = store.partitions.map(writer.numbers)
            scribe.begin("alpha")
            let batch = scribe.take()
            let past = batch.numbers.nextPosition
            for id in [effect.id, Position(rawValue: effect.id.rawValue - 1), batch.journal[0].position, past] {
                var wrong = batch
                wrong.newEffects[0].id = id
                #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
            }
            var wrong = batch
            wrong.journal[0].position = effect.id
            #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
            #expect(store.partitions.map(writer.numbers) == numbers)
            try writer.commit(batch)
            #expect(try writer.effect(batch.newEffects[0].id) == batch.newEffects[0])
        },
        Check(name: "an effect that cannot be breaks a constraint") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            let wrongs: [@Sendable (inout EffectRecord) -> Void] = [
                { $0.priority = 0 }, { $0.priority = 6 }, { $0.queue = "" }, { $0.lease = [1] },
                { $0.state = .leased }, { $0.attempts = -1 }, { $0.earlier = -1 }, { $0.round = -1 }, { $0.number = 0 },
            ]
            for wrong in wrongs {
                let again = try scribe.resumed(writer)
                again.send("alpha")
                again.begin("alpha", change: wrong)
                #expect { try again.commit(writer) } throws: { code($0) == .constraint }
            }
            scribe.send("alpha")
            var effect = scribe.begin("alpha")
            try scribe.commit(writer)
            effect.lease = [1]
            scribe.change(effect, of: "alpha")
            #expect { try scribe.commit(writer) } throws: { code($0) == .constraint }
            #expect(try writer.effect(effect.id)?.lease == nil)
        },
        Check(name: "a batch changes and ends what one that is committed with it began") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            var batches: [StoreBatch] = []
            func close() {
                var batch = scribe.take()
                batch.base = batches.last?.numbers ?? writer.numbers(in: batch.numbers.partition)
                batches.append(batch)
            }
            scribe.send("alpha")
            let (first, second) = (scribe.begin("alpha"), scribe.begin("alpha"))
            close()
            let leased = Self.changed(first, to: .leased)
            scribe.change(leased, of: "alpha")
            scribe.change(Self.changed(second, to: .held), of: "alpha")
            close()
            scribe.send("alpha")
            scribe.end(second, of: "alpha")
            close()
            var wrong = batches
            wrong[2].endedEffects.append(second.id)
            #expect { try writer.commit(wrong) } throws: { code($0) == .constraint }
            #expect(try writer.effect(first.id) == nil)
            try writer.commit(batches)
            #expect(try writer.effect(first.id) == leased && writer.effect(second.id) == nil)
        },
    ]
}

// MARK: Making some

extension StoreSuite {
    /// The names of queues, in the order of bytes.
    private static let queueNames = ["exec:Zip", "http:pay.example.com:443", "task:pack", "task:pack-2"]

    /// Returns an effect in another state, with a value in every column that the state allows.
    private static func changed(_ effect: EffectRecord, to state: EffectState) -> EffectRecord {
        var effect = effect
        effect.state = state
        effect.priority = effect.priority % 5 + 1
        effect.due = Timestamp(rawValue: effect.due.rawValue + 7)
        effect.attempts += 2
        effect.earlier += 1
        effect.round += 2
        effect.lease = state == .leased ? Array(repeating: 0xFE, count: 16) : nil
        effect.worker = effect.worker == nil ? "host-7 ☂" : nil
        effect.progress = effect.progress == nil ? #"{"done":3}"# : nil
        effect.error = effect.error == nil ? #"{"type":"exit"}"# : nil
        effect.answer = state == .answered ? #"{"receipt":"☂"}"# : nil
        return effect
    }

    /// Begins effects of all queues, states and priorities, due at few times. Returns them in the order of their ids.
    static func many(_ scribe: Scribe, _ writer: any StoreWriter) throws -> [EffectRecord] {
        var effects: [EffectRecord] = []
        for (place, name) in scribe.instances.keys.sorted().enumerated() {
            scribe.send(name)
            for number in 0..<40 {
                let mixed = number * 7 + place * 3
                let state = mixed % 3 == 0 ? EffectState.allCases[mixed / 3 % 6] : .ready
                let effect = scribe.begin(name, queue: queueNames[mixed % 4]) { effect in
                    effect.state = state
                    effect.lease = state == .leased ? [UInt8(number)] : nil
                    effect.priority = Int64(mixed / 4 % 5 + 1)
                    effect.due = Timestamp(rawValue: Int64(mixed / 5 % 4))
                }
                effects.append(effect)
            }
        }
        try scribe.commit(writer)
        return effects.sorted { $0.id < $1.id }
    }

    private static func allPages(_ query: EffectQuery, _ store: any WorkflowStore) async throws -> [ListedEffect] {
        var query = query
        var effects: [ListedEffect] = []
        for _ in 0..<1_000 {
            let page = try await store.effects(query)
            #expect(page.effects.count <= query.limit)
            effects += page.effects
            guard let next = page.next else { return effects }
            query.after = next
        }
        Issue.record("the pages do not end")
        return effects
    }
}
