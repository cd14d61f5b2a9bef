import Statechart
import StoreTesting
import Testing
package import WorkflowStore

/// What every store must do, as checks against an empty one.
package struct StoreSuite {
    /// What some checks need, and some stores lack.
    package enum Capability: String, CaseIterable, Sendable {
        /// Going through all that it holds.
        case audit
        /// Making backups of it.
        case backups
        /// More than one partition.
        case partitions

        /// Those of a store.
        package static func all(of store: any WorkflowStore) -> Set<Capability> {
            Set(allCases.filter { $0.isThere(in: store) })
        }

        private func isThere(in store: any WorkflowStore) -> Bool {
            switch self {
            case .audit: store.audit != nil
            case .backups: store.backups != nil
            case .partitions: store.partitions.count > 1
            }
        }
    }

    /// By what some checks are picked.
    package enum Mark: CaseIterable, Sendable {
        /// Lists instances page by page, and takes pages that are shorter than asked for.
        case pagesOfInstances
        /// The same of effects.
        case pagesOfEffects
    }

    /// Opens a store: an empty one the first time, and then, after its writing side was closed, the same again.
    package typealias Opening = @Sendable () throws -> any WorkflowStore

    /// One check.
    package struct Check: Sendable, CustomTestStringConvertible {
        package let name: String
        package let needs: Set<Capability>
        package let marks: Set<Mark>
        private let body: @Sendable (any WorkflowStore, any StoreWriter, Opening) async throws -> Void

        init(
            name: String, needs: Set<Capability> = [], marks: Set<Mark> = [],
            run: @escaping @Sendable (any WorkflowStore, any StoreWriter) async throws -> Void
        ) {
            self.init(name: name, needs: needs, marks: marks) { (store, writer, _) async throws in
                try await run(store, writer)
            }
        }

        /// - Parameter run: Is given how to open the store again.
        init(
            name: String, needs: Set<Capability> = [], marks: Set<Mark> = [],
            reopening run: @escaping @Sendable (any WorkflowStore, any StoreWriter, Opening) async throws -> Void
        ) {
            self.name = name
            self.needs = needs
            self.marks = marks
            body = run
        }

        package var testDescription: String { name }

        /// Runs it against a store that nobody has opened.
        package func run(_ open: Opening) async throws {
            let store = try open()
            let missing = needs.subtracting(Capability.all(of: store))
            #expect(missing.isEmpty, "'\(name)' needs what the store lacks")
            try await body(store, try store.writer(), open)
        }
    }

    /// All of them.
    package static let checks =
        records + together + history + lists + places + timers + effects + attempts + queues + settings + keys
        + partitions
        + backups
        + audit + opening

    /// The checks that a store with these capabilities can take.
    package static func checks(for capabilities: Set<Capability>) -> [Check] {
        checks.filter { $0.needs.isSubset(of: capabilities) }
    }

    /// The names of those that it cannot take, to be told.
    package static func leftOut(for capabilities: Set<Capability>) -> [String] {
        checks.filter { !$0.needs.isSubset(of: capabilities) }.map(\.name)
    }

    /// The checks that carry a mark, and that every store can take.
    package static func checks(marked mark: Mark) -> [Check] {
        checks(for: []).filter { $0.marks.contains(mark) }
    }

    /// The code of a store's error; nil for another error.
    static func code(_ error: any Error) -> StoreError.Code? {
        (error as? StoreError)?.code
    }
}
