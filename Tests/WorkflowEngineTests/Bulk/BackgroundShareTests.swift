import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowStore

@testable import WorkflowEngine  // A batch of made-up commands, without the lane around it.

/// Tests that a part of a run has a batch of its own, or a share of a batch that somebody else waits for.
struct BackgroundShareTests {
    private struct Made: WriterCommand {
        enum Kind { case plain, order, waiting, part }

        let kind: Kind

        var size: Int { 1 }
        var isLong: Bool { false }
        var isPart: Bool { kind == .part }
        var payers: [CommandTarget] { [] }
        var targets: [CommandTarget] { [] }
        var summary: String { "\(kind)" }

        func want(_ rows: inout WantedRows) {}

        /// Returns true if a part would have only a share of the batch.
        func apply(to batch: inout BatchBuilder) throws(Rejection) -> Bool {
            switch kind {
            case .plain: break
            case .order: batch.orders += 1
            case .waiting: throw Rejection(waiting: .compiling(MachineID(rawValue: 1)))
            case .part: batch.slices += 1
            }
            return batch.parts.share.bound(at: .now).isShared
        }
    }

    private let queue: CommandQueue
    private let applier: BatchApplier
    private let recent = WorkingSet(bound: 1)
    private let limits: EngineLimits

    init() throws {
        var limits = EngineLimits()
        limits.sharing = .seconds(86_400)
        self.limits = limits
        queue = CommandQueue(limits: limits)
        let library = MachineLibrary(limits: limits)
        applier = BatchApplier(
            store: try FakeStore().writer(), partition: .first, placement: Placement(partitions: 1),
            clock: HandClock(), limits: limits, library: library,
            demand: MachineDemand(library, waking: queue, limits: limits), recent: recent,
            leases: LeaseTable(generation: 1, bound: 1, board: QueueBoard(limits: limits, holdReason: nil)),
            statistics: BatchStatistics())
    }

    /// Applies commands in one batch. Returns true if the last of them would have only a share.
    private func sharesBatch(_ kinds: Made.Kind...) throws -> Bool {
        let entries = kinds.map { Queued(Made(kind: $0), .caller { _ in }) }
        let line: [any QueuedCommand] = entries
        var waiting = line[...]
        var order = FairOrder(limits: limits, recent: recent, isOn: true)
        var builder = applier.begin(after: [])
        let applied = applier.apply(
            &waiting, to: &builder, in: &order, from: queue, behind: [], isBesideCommit: false, since: .now)
        #expect(applied == kinds.count)
        return try #require(entries.last?.outcome).get()
    }

    /// The first batch counts already: the caller waits for the part in it.
    @Test func aPartSharesTheBatchOfThePlainCommandBeforeIt() throws {
        #expect(try !sharesBatch(.part))
        #expect(try sharesBatch(.plain, .part))
        // More parts are expected.
        #expect(try sharesBatch(.part))
    }

    /// A command that waits for a machine version is not in the batch.
    @Test func nobodySharesWithOrdersNorWithWhoIsNotApplied() throws {
        for _ in 0..<2 { #expect(try !sharesBatch(.order, .waiting, .part)) }
    }
}
