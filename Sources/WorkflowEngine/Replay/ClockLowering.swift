import Statechart
import WorkflowJSON
package import WorkflowStore

/// Corrects times after a clock that was ahead, in a store that no daemon serves and whose clock was accepted.
///
/// Each instance whose last row lies in the future gets a row of kind `reset` at the present. The instance's state
/// stays, and items that were armed in the future are due earlier, by the same difference as the row. Effects that
/// would start in the future start now, or after their pause. After an interruption, the next call does the rest.
package struct ClockLowering: Sendable {
    /// The counts of a correction.
    package struct Report: Sendable, Equatable {
        package var instances = 0
        /// The names of the first few instances.
        package var names: [InstanceName] = []
        /// The milliseconds by which the furthest instance is ahead.
        package var furthest: Int64 = 0
        /// The number of timers of these instances that are due earlier.
        package var timers = 0
        package var effects = 0
        /// The number of instances that stay as they are, because they cannot be read.
        package var left = 0
        /// The reasons for the first few instances that stay as they are.
        package var reasons: [String] = []

        /// Creates an empty report.
        package init() {}

        /// The most names and reasons that a report lists.
        static let told = 3
    }

    private let store: any StoreReader
    private let now: Timestamp
    private let limits: EngineLimits
    private let library: MachineLibrary
    private let folder: HistoryFolder

    /// - Parameter now: The present time.
    package init(in store: any StoreReader, at now: Timestamp, limits: EngineLimits = EngineLimits()) {
        self.store = store
        self.now = now
        var limits = limits
        // No caller waits for this writer.
        limits.batchApplying = .seconds(1)
        self.limits = limits
        library = MachineLibrary(limits: limits)
        folder = HistoryFolder(store: store, library: library, limits: limits)
    }

    /// Counts the corrections that `run` would make. Changes nothing; a daemon may have the store open.
    package func rehearse() async throws -> Report { try await run(nil) }

    /// Corrects the times. Each instance is corrected completely or not at all, and everything that the report counts
    /// is on disk.
    ///
    /// - Parameters:
    ///   - writer: The writer of the same store.
    ///   - actor: The actor who asked for the correction; `nil` if none is known.
    package func run(on writer: any StoreWriter, by actor: Actor?) async throws -> Report {
        try await run(LoweringWriter(writer, clock: StandingClock(time: now), library, limits, actor))
    }

    private func run(_ writer: LoweringWriter?) async throws -> Report {
        var report = Report()
        var query = InstanceQuery(updatedAfter: now, limit: 500)
        repeat {
            let page = try await store.instances(query, in: .default)
            var found: [LoweredInstance] = []
            for record in page.instances {
                do throws(Rejection) {
                    found.append(try await lowered(record))
                } catch {
                    report.leave(record, error)
                }
            }
            for instance in found { report.take(instance) }
            try writer?.write(found) { instance, batch, caller throws(Rejection) in
                let live = try batch.existing(instance.key)
                batch.record(instance.chain, of: live, from: RowOrigin(caller))
            }
            query.after = page.next
        } while query.after != nil
        report.effects = try await lowerEffects(writer)
        return report
    }
}

// MARK: Instances

/// An instance and the row that corrects it.
private struct LoweredInstance {
    let key: InstanceKey
    /// The milliseconds by which the instance is ahead.
    let difference: Int64
    /// The number of the instance's timers that are due earlier.
    let timers: Int
    let chain: Chain
}

extension ClockLowering {
    private func lowered(_ record: InstanceRecord) async throws(Rejection) -> LoweredInstance {
        let loaded = try await folder.machine(record.machineID)
        let snapshot = try record.snapshot(of: loaded)
        let ahead = try await armedAhead(snapshot, try record.armedPositions(), of: record)
        let failure = snapshot.status == .failed ? record.failure.flatMap(RecordedFailure.object) : nil
        let note = RowNote(failure: failure.flatMap { RecordedFailure(.object($0)) }).text
        let difference = record.updated.rawValue - now.rawValue
        let reset = Reset(
            of: snapshot, clock: difference, version: loaded.record.version.rawValue,
            failure: note.flatMap(RecordedFailure.object)?["failure"]
        ) { ahead.contains($0.id) }
        let event = Event(name: Reset.clockEvent, data: reset.data(of: loaded.machine), at: LogicalTime(now))
        let identity = InstanceIdentity(
            name: record.name.rawValue, version: loaded.record.version.rawValue,
            startedAt: LogicalTime(record.created))
        switch loaded.machine.chain(.reset(event), from: snapshot, as: identity) {
        case .success(let chain):
            let timers = snapshot.armed.count { $0.kind == .timer && ahead.contains($0.id) }
            return LoweredInstance(key: record.key, difference: difference, timers: timers, chain: chain)
        case .failure(let refusal):
            throw .inconsistent(
                "its time cannot be taken back: " + refusal.message(for: Reset.clockEvent, in: loaded.machine))
        }
    }

    /// Finds the items that were armed in the future, because their due times count from there. All other due times are
    /// right.
    private func armedAhead(
        _ snapshot: Snapshot, _ positions: [Position], of record: InstanceRecord
    ) async throws(Rejection) -> Set<Pending.ID> {
        var times: [Position: Timestamp] = [:]
        var ahead: Set<Pending.ID> = []
        for (pending, position) in zip(snapshot.armed, positions) {
            if pending.isKept || pending.kind == .invocation {
                // The input on which the instance failed was due already, so a time in the future is wrong.
                if pending.isKept, pending.due > LogicalTime(now) { ahead.insert(pending.id) }
                continue
            }
            if times[position] == nil {
                let row = try await row(at: position)
                times[position] = row?.at ?? record.updated
            }
            if let time = times[position], time > now { ahead.insert(pending.id) }
        }
        let armed = zip(snapshot.armed, positions).filter { ahead.contains($0.0.id) && !$0.0.isKept }
        return ahead.subtracting(try await loweredBefore(armed, of: record))
    }

    private func row(at position: Position) async throws(Rejection) -> JournalRecord? {
        try await HistoryFolder.read { () async throws(StoreError) in try await store.row(at: position) }
    }

    /// Finds the items that an earlier correction has lowered already: all that were armed before its row.
    private func loweredBefore(
        _ armed: [(Pending, Position)], of record: InstanceRecord
    ) async throws(Rejection) -> [Pending.ID] {
        guard let first = armed.map(\.1).min() else { return [] }
        var place: Position? = record.head
        while let position = place, position > first {
            guard let row = try await row(at: position), row.instanceID == record.id else { break }
            if row.isClock { return armed.filter { $0.1 < position }.map(\.0.id) }
            // A damaged row must not cause an endless loop.
            place = row.previous.flatMap { $0 < position ? $0 : nil }
        }
        return []
    }
}

extension ClockLowering.Report {
    fileprivate mutating func take(_ instance: LoweredInstance) {
        if instances < Self.told { names.append(instance.key.name) }
        instances += 1
        timers += instance.timers
        furthest = max(furthest, instance.difference)
    }

    fileprivate mutating func leave(_ record: InstanceRecord, _ rejection: Rejection) {
        if left < Self.told { reasons.append("\(record.name): \(rejection.message)") }
        left += 1
    }
}

// MARK: Effects

extension ClockLowering {
    private func lowerEffects(_ writer: LoweringWriter?) async throws -> Int {
        var query = EffectQuery(states: [.ready, .held, .answered], limit: 500)
        var count = 0
        repeat {
            let page = try await store.effects(query, in: .default)
            var lowered: [LoweredEffect] = []
            for var effect in page.effects.map(\.effect) where effect.due > now {
                guard let (due, last) = try await due(of: effect) else { continue }
                effect.due = due
                lowered.append(LoweredEffect(effect: effect, last: last))
            }
            count += lowered.count
            try writer?.write(lowered) { item, batch, _ in
                batch.change(item.effect)
                if let last = item.last { batch.changes.attempts.append(last) }
            }
            query.after = page.next
        } while query.after != nil
        return count
    }

    /// Returns the right due time of an effect that is due in the future; `nil` if its present due time is right.
    ///
    /// The pause before the next attempt counts from the end of the last one. Every other due time is the time of a
    /// past event, so a time in the future is wrong.
    private func due(of effect: EffectRecord) async throws(StoreError) -> (due: Timestamp, last: AttemptRecord?)? {
        guard effect.state != .answered, effect.attempts > effect.earlier,
            var last = try await store.attempts(of: effect.id, instance: effect.instanceID).last,
            last.attempt == effect.attempts
        else { return (now, nil) }
        guard last.ended > now, effect.due >= last.ended else { return nil }
        let due = Timestamp(rawValue: effect.due.rawValue - (last.ended.rawValue - now.rawValue))
        // The recorded end of the attempt becomes now, so that a repeated correction subtracts nothing.
        (last.begun, last.ended) = (min(last.begun, now), now)
        return (due, last)
    }
}

/// An effect that is due earlier.
private struct LoweredEffect {
    let effect: EffectRecord
    /// The effect's last attempt, if the pause counts from the attempt's end; else `nil`.
    let last: AttemptRecord?
}

// MARK: Writing

/// Writes the corrections, a bounded number of rows in each transaction.
private final class LoweringWriter {
    private let writer: any StoreWriter
    private let applier: BatchApplier
    private let caller: Caller

    init(
        _ writer: any StoreWriter, clock: any WallClock, _ library: MachineLibrary, _ limits: EngineLimits,
        _ actor: Actor?
    ) {
        self.writer = writer
        let demand = MachineDemand(library, waking: CommandQueue(limits: limits), limits: limits)
        // No other caller waits for this writer.
        demand.isImmediate = true
        let board = QueueBoard(limits: limits, holdReason: nil)
        applier = BatchApplier(
            store: writer, partition: .first, placement: Placement(partitions: 1), clock: clock, limits: limits,
            library: library, demand: demand, recent: WorkingSet(bound: limits.cachedInstanceBytes),
            leases: LeaseTable(generation: 0, bound: limits.leases, board: board), statistics: BatchStatistics())
        caller = Caller(actor, namespace: .default)
    }

    func write<Item>(
        _ items: [Item], _ apply: (Item, inout BatchBuilder, Caller) throws(Rejection) -> Void
    ) throws {
        var rest = items[...]
        while !rest.isEmpty {
            var builder = applier.begin(after: [])
            let begin = ContinuousClock.now
            while let item = rest.first, builder.changes.rows == 0 || applier.isOpen(builder, since: begin) {
                try apply(item, &builder, caller)
                rest.removeFirst()
            }
            let sealed = applier.seal(&builder, entered: [:])
            try writer.commit(sealed.batch)
            applier.adopt(sealed)
            try writer.maintain()
        }
    }
}
