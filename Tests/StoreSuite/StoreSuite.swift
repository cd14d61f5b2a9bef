import Statechart
import StoreTesting
import Testing
package import WorkflowStore

/// The checks that every store must pass, each against an empty store.
package struct StoreSuite {
    /// An ability that some checks need and some stores lack.
    package enum Capability: String, CaseIterable, Sendable {
        /// An audit of everything in the store.
        case audit
        /// Backups of the store.
        case backups
        /// More than one partition.
        case partitions

        /// Returns the capabilities of a store.
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

    /// A mark by which checks are picked.
    package enum Mark: CaseIterable, Sendable {
        /// The check lists instances page by page, and accepts pages that are shorter than requested.
        case pagesOfInstances
        /// The check lists effects page by page, and accepts pages that are shorter than requested.
        case pagesOfEffects
    }

    /// Opens a store: an empty one the first time. Later, after its writing side was closed, the same one again.
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

        /// - Parameter run: The check, which gets a function that opens the store again.
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

        /// Runs the check against a store that is not open.
        package func run(_ open: Opening) async throws {
            let store = try open()
            let missing = needs.subtracting(Capability.all(of: store))
            #expect(missing.isEmpty, "'\(name)' needs what the store lacks")
            try await body(store, try store.writer(), open)
        }
    }

    /// All checks.
    package static let checks =
        records + together + history + journal + lists + conditions + bulk + places + timers + effects + attempts
        + queues
        + settings + keys + purges + changes + erasures + partitions + backups + audit + opening

    /// Returns the checks that a store with these capabilities can pass.
    package static func checks(for capabilities: Set<Capability>) -> [Check] {
        checks.filter { $0.needs.isSubset(of: capabilities) }
    }

    /// Returns the names of the checks that such a store cannot pass, for a report.
    package static func leftOut(for capabilities: Set<Capability>) -> [String] {
        checks.filter { !$0.needs.isSubset(of: capabilities) }.map(\.name)
    }

    /// Returns the checks with a mark that every store can pass.
    package static func checks(marked mark: Mark) -> [Check] {
        checks(for: []).filter { $0.marks.contains(mark) }
    }

    /// Returns the code of a store's error; `nil` for another error.
    static func code(_ error: any Error) -> StoreError.Code? {
        (error as? StoreError)?.code
    }
}
