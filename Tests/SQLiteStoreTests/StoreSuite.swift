import IdentityTesting
import Statechart
import Testing
import WorkflowStore

/// What every store must do, as checks against an empty one.
struct StoreSuite {
    /// By what some checks are picked.
    enum Mark: CaseIterable {
        /// Lists instances page by page, and takes pages that are shorter than asked for.
        case pagesOfInstances
    }

    /// One check.
    struct Check: Sendable, CustomTestStringConvertible {
        let name: String
        let marks: Set<Mark>
        private let body: @Sendable (any WorkflowStore, any StoreWriter) async throws -> Void

        init(
            name: String, marks: Set<Mark> = [],
            run: @escaping @Sendable (any WorkflowStore, any StoreWriter) async throws -> Void
        ) {
            self.name = name
            self.marks = marks
            body = run
        }

        var testDescription: String { name }

        /// Runs it against an empty store, whose writing side nobody has.
        func run(_ store: any WorkflowStore) async throws {
            try await body(store, store.writer())
        }
    }

    /// The checks that carry a mark.
    static func checks(marked mark: Mark) -> [Check] {
        checks.filter { $0.marks.contains(mark) }
    }

    static let checks =
        records + together + history + lists + places + timers + keys + [
            Check(name: "an empty batch changes nothing") { (store, writer) async throws in
                let numbers = writer.numbers
                try writer.commit(StoreBatch(numbers: numbers))
                #expect(writer.numbers == numbers)
            },
            Check(name: "the writing side is given away once") { (store, writer) async throws in
                #expect { _ = try store.writer() } throws: { code($0) == .locked }
                let numbers = writer.numbers
                try writer.close()
                #expect { _ = try store.writer() } throws: { code($0) == .locked }
                #expect(writer.numbers == numbers)
            },
            Check(name: "a closed store refuses everything") { (store, writer) async throws in
                try writer.close()
                await #expect { _ = try await store.instance(named: "a") } throws: { code($0) == .closed }
                #expect { _ = try writer.instance(named: "a") } throws: { code($0) == .closed }
                #expect { try writer.commit(StoreBatch(numbers: writer.numbers)) } throws: { code($0) == .closed }
                #expect { try writer.maintain() } throws: { code($0) == .closed }
                #expect { try writer.close() } throws: { code($0) == .closed }
            },
        ]

    /// The code of a store's error; nil for another error.
    static func code(_ error: any Error) -> StoreError.Code? {
        (error as? StoreError)?.code
    }
}

extension StoreSuite {
    private static let records = [
        Check(name: "every record comes back as it was written") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order", source: "id: order\n# é ☂ \u{0}\n")
            scribe.start("order-1")
            scribe.send(
                "order-1", "pay", data: #"{"text":"☂"}"#, to: "a.b,a.c", actor: "uid:7",
                key: [UInt8](repeating: 7, count: 16), real: Timestamp(rawValue: 99))
            scribe.send("order-1", "nothing", data: nil, to: "done", status: .done, key: [])
            try scribe.commit(writer)
            #expect(writer.numbers == scribe.numbers)
            let expected = try #require(scribe.instances["order-1"])
            #expect(try await store.instance(named: "order-1") == expected)
            #expect(try writer.instance(named: "order-1") == expected)
            #expect(try await store.machine(named: "order", version: 1) == scribe.machines[0])
            #expect(try writer.machine(scribe.machines[0].id) == scribe.machines[0])
            #expect(try await store.history(whole(expected)) == scribe.history["order-1"])
        },
        Check(name: "what is not there is nil") { (store, writer) async throws in
            #expect(try await store.machine(named: "none", version: nil) == nil)
            #expect(try await store.machine(MachineID(rawValue: 1)) == nil)
            #expect(try await store.instance(named: "none") == nil)
            #expect(try await store.machineNames(limit: 10) == [])
            #expect(try await store.snapshot(of: InstanceID(rawValue: 1), atOrBefore: Seq(rawValue: 9)) == nil)
            #expect(try writer.machine(named: "none", version: 2) == nil)
        },
        Check(name: "a changed instance replaces its row") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            scribe.send("order-1", to: "packing")
            try scribe.commit(writer)
            #expect(try await store.instance(named: "order-1") == scribe.instances["order-1"])
            scribe.send("order-1", to: "shipped", status: .done)
            try scribe.commit(writer)
            let stored = try await store.instance(named: "order-1")
            #expect(stored == scribe.instances["order-1"] && stored?.status == .done)
        },
        Check(name: "a batch that breaks a constraint leaves nothing") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            let numbers = writer.numbers
            scribe.apply("refund")
            scribe.start("order-2")
            var batch = scribe.take()
            batch.newInstances[0].name = "order-1"
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(writer.numbers == numbers)
            #expect(try await store.machine(named: "refund", version: nil) == nil)
            #expect(try await store.instances(InstanceQuery(limit: 10)).instances.map(\.name) == ["order-1"])
            try Self.carriesOn(writer)
        },
        Check(name: "changing an instance that is not there is refused") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            var batch = scribe.take()
            batch.changedInstances = batch.newInstances
            batch.newInstances = []
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try await store.machine(named: "order", version: nil) == nil)
        },
        Check(name: "a batch with rows past its numbers is refused") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            var batch = scribe.take()
            batch.numbers.nextPosition = writer.numbers.nextPosition
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
        },
        Check(name: "a batch that was made on top of one that is not there is refused") {
            (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            var batch = scribe.take()
            batch.base = writer.numbers
            batch.base?.nextPosition = Position(rawValue: writer.numbers.nextPosition.rawValue + 1)
            #expect { try writer.commit(batch) } throws: { code($0) == .constraint }
            #expect(try writer.instance(named: "order-1") == nil)
            batch.base = writer.numbers
            try writer.commit(batch)
            #expect(try writer.instance(named: "order-1") != nil)
        },
        Check(name: "a view is one committed state until it is released") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
            let view = writer.view
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 1)
            scribe.send("order-1")
            try scribe.commit(writer)
            #expect(try writer.instance(named: "order-1")?.seq.rawValue == 2)
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 1)
            view.release()
            #expect(try view.instance(named: "order-1")?.seq.rawValue == 2)
            view.release()
            #expect(!view.hasFailed)
        },
    ]

    static func carriesOn(_ writer: any StoreWriter) throws {
        let scribe = Scribe(writer)
        scribe.apply("later")
        scribe.start("later-1")
        try scribe.commit(writer)
        #expect(try writer.instance(named: "later-1") != nil)
    }

    /// The whole history of an instance.
    static func whole(_ instance: InstanceRecord, reversed: Bool = false) -> HistoryQuery {
        HistoryQuery(
            instance: instance.id, head: instance.head, headSeq: instance.seq, seqs: 1...instance.seq.rawValue,
            isReversed: reversed)
    }
}
