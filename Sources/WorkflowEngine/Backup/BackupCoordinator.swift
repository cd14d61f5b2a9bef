import Foundation
import Synchronization
package import WorkflowStore
import WorkflowThreads

/// A report on a backup that is being made.
package enum BackupEvent: Sendable, Equatable {
    /// The progress of copying, in bytes.
    case copying(done: Int64, total: Int64)
    /// The progress of checking the copy, in bytes.
    case checking(done: Int64, total: Int64)
    /// The progress of verifying the copy, in events that were applied again and compared.
    case verifying(done: Int64, total: Int64)
    /// The backup is ready to be fetched; the last event.
    case ready(StoredBackup)
}

/// Takes orders for backups, makes them, and keeps them until they are fetched. There is one backup at a time, from its
/// order until its file is removed.
///
/// The writer copies the database, in slices between its batches, or the store copies itself beside the writer. A
/// separate thread checks the copy. The caller who ordered the backup receives the progress of both, and ends the
/// backup by going away. Errors of a backup go to its caller, and never to the writer.
final class BackupCoordinator: BackupOrders, Sendable {
    /// A backup for which a caller waits.
    struct Order: Sendable {
        let name: BackupName
        let events: AsyncThrowingStream<BackupEvent, any Error>.Continuation
    }

    enum Phase {
        case idle
        case ordered(Order)
        case copying(Order)
        case checking(Order)
        /// The backup is kept until a time; `fetches` callers are reading it.
        case ready(StoredBackup, until: ContinuousClock.Instant, fetches: Int)
    }

    struct State {
        var phase = Phase.idle
        /// True if the caller who ordered the backup went away.
        var isUnwanted = false
        /// The rejection of all calls from now on; `nil` while orders are accepted.
        var closing: Rejection?
        var isClosed: Bool { closing != nil }
    }

    let state = Mutex(State())
    let limits: EngineLimits
    private let store: any StoreBackups
    /// Wakes the writer.
    private let wake: @Sendable () -> Void
    /// Called after each backup that was fetched completely.
    private let fetched: @Sendable () -> Void
    private let copies: AsyncStream<Order>
    private let copied: AsyncStream<Order>.Continuation
    /// A stream with an element when there is a backup that may expire.
    private let keeps: AsyncStream<Void>
    private let kept: AsyncStream<Void>.Continuation

    init(
        _ store: any StoreBackups, limits: EngineLimits, fetched: @escaping @Sendable () -> Void,
        wake: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.limits = limits
        self.fetched = fetched
        self.wake = wake
        (copies, copied) = AsyncStream.makeStream(of: Order.self)
        (keeps, kept) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Orders a backup. Its events end with `ready` or an error; events that are not read in time are dropped.
    func order() throws(Rejection) -> AsyncThrowingStream<BackupEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: BackupEvent.self, bufferingPolicy: .bufferingNewest(1))
        var random = SystemRandomNumberGenerator()
        let order = Order(name: BackupName(random: &random), events: continuation)
        let rejection: Rejection? = state.withLock { state in
            if let closing = state.closing { return closing }
            guard case .idle = state.phase else { return .backupUnderWay }
            state.phase = store.exporting == nil ? .ordered(order) : .copying(order)
            state.isUnwanted = false
            return nil
        }
        if let rejection { throw rejection }
        if store.exporting != nil, case .terminated = copied.yield(order) {
            // The coordinator was closed at this moment, so nobody will copy.
            end(order, .draining)
        }
        continuation.onTermination = { [weak self] end in
            if case .cancelled = end { self?.orderWasCancelled(order.name) }
        }
        wake()
        return stream
    }

    private func orderWasCancelled(_ name: BackupName) {
        state.withLock { state in
            switch state.phase {
            case .ordered(let order), .copying(let order), .checking(let order):
                if order.name == name { state.isUnwanted = true }
            case .idle, .ready: return
            }
        }
        wake()
    }

    /// Accepts no more orders, and ends the backup under way; the writer and the check notice this by themselves.
    ///
    /// - Parameter reason: The rejection of all calls from now on.
    func close(_ reason: Rejection) {
        state.withLock { $0.closing = reason }
        copied.finish()
        kept.finish()
    }
}

// MARK: The writer's part

extension BackupCoordinator {
    /// True if a backup waits for the writer.
    var hasWork: Bool {
        state.withLock { state in
            switch state.phase {
            case .ordered, .copying: true
            case .idle, .checking, .ready: false
            }
        }
    }

    /// Copies for one time slice if a backup is to be copied. Returns true if there is more to copy.
    func advance(_ writer: any BackupCopying) -> Bool {
        let (phase, isOver) = state.withLock { ($0.phase, $0.isUnwanted || $0.isClosed) }
        switch phase {
        case .idle, .checking, .ready: return false
        case .ordered(let order), .copying(let order):
            if isOver {
                abandon(writer)
                return false
            }
            do throws(StoreError) {
                if case .ordered = phase {
                    try writer.beginBackup(order.name)
                    state.withLock { $0.phase = .copying(order) }
                }
                return try copy(order, writer)
            } catch {
                end(order, .backupFailed(error))
                return false
            }
        }
    }

    /// Gives up a backup that the writer has not copied completely. Call this function before the writer closes the
    /// store.
    func abandon(_ writer: any BackupCopying) {
        switch state.withLock({ $0.phase }) {
        case .idle, .checking, .ready: return
        case .ordered(let order), .copying(let order):
            writer.abandonBackup()
            end(order, state.withLock { $0.closing } ?? .draining)
        }
    }

    private func copy(_ order: Order, _ writer: any BackupCopying) throws(StoreError) -> Bool {
        let progress = try writer.stepBackup(for: limits.backupSlice)
        order.events.yield(.copying(done: progress.bytesDone, total: progress.bytesTotal))
        guard progress.isDone else { return true }
        state.withLock { $0.phase = .checking(order) }
        if case .terminated = copied.yield(order) {
            // The coordinator was closed at this moment, so nobody will check the copy.
            store.removeBackup(order.name)
            end(order, .draining)
        }
        return false
    }

    private func end(_ order: Order, _ rejection: Rejection) {
        state.withLock { $0.phase = .idle }
        order.events.finish(throwing: rejection)
    }
}

// MARK: Checking and keeping

extension BackupCoordinator {
    /// Checks copies and removes backups that were not fetched, until the coordinator is closed.
    func run() async {
        await withTaskGroup { group in
            group.addTask { for await order in self.copies { await self.check(order) } }
            group.addTask {
                for await _ in self.keeps {
                    // The pause ends early when the coordinator is closed.
                    try? await Task.sleep(for: self.limits.backupSweep)
                    await self.removeExpired()
                }
            }
            await group.next()
            group.cancelAll()
        }
        await removeExpired()
    }

    /// Checks a copy, which takes as long as reading the file a few times. Copies first if the writer has not.
    private func check(_ order: Order) async {
        await withTaskExecutorPreference(BackgroundThreads("wfd-backup", count: 1)) {
            let cores = SharedCores.ofProcess
            var begun = cores.now()
            do throws(StoreError) {
                try await self.store.exporting?.exportBackup(order.name) { done, total in
                    cores.giveWay(since: &begun)
                    order.events.yield(.copying(done: done, total: total))
                    return self.mayGoOn
                }
                self.state.withLock { $0.phase = .checking(order) }
                let backup = try await self.store.completeBackup(
                    order.name, verify: { try await self.verify($0, order) },
                    mayGoOn: { done, total in
                        cores.giveWay(since: &begun)
                        order.events.yield(.checking(done: done, total: total))
                        return self.mayGoOn
                    })
                self.checked(order, backup)
            } catch {
                let isStopping = self.state.withLock { $0.isClosed }
                self.end(order, isStopping ? .draining : .backupFailed(error))
            }
        }
    }

    /// True if the backup is still wanted and may be completed.
    private var mayGoOn: Bool { state.withLock { !$0.isUnwanted && !$0.isClosed } }

    private func verify(_ copy: any StoreReader, _ order: Order) async throws {
        var limits = limits
        limits.progressInterval = limits.backupProgress
        try await Verification(of: copy, limits: limits).requireNone { now in
            order.events.yield(.verifying(done: Int64(now.done), total: Int64(now.total)))
            guard self.mayGoOn else { throw CancellationError() }
        }
    }

    private func checked(_ order: Order, _ backup: StoredBackup) {
        let isWanted = state.withLock { state in
            let isWanted = !state.isUnwanted && !state.isClosed
            state.phase = isWanted ? .ready(backup, until: .now + limits.backupKept, fetches: 0) : .idle
            return isWanted
        }
        if isWanted { kept.yield() } else { store.removeBackup(backup.name) }
        order.events.yield(.ready(backup))
        order.events.finish()
    }

    /// Removes the backup if it has expired, or if the coordinator is closed.
    private func removeExpired() async {
        let expired: StoredBackup? = state.withLock { state in
            guard case .ready(let backup, let until, let fetches) = state.phase else { return nil }
            guard state.isClosed || (fetches == 0 && until <= .now) else {
                kept.yield()
                return nil
            }
            state.phase = .idle
            return backup
        }
        guard let expired else { return }
        // Removing a large file takes the disk some time.
        await withTaskExecutorPreference(BackgroundThreads("wfd-backup", count: 1)) {
            self.store.removeBackup(expired.name)
        }
    }

    /// Begins to fetch a backup. Returns `nil` if there is none with that name, or it was removed.
    func beginFetch(_ name: BackupName) -> StoredBackup? {
        state.withLock { state in
            guard case .ready(let backup, let until, let fetches) = state.phase, backup.name == name, !state.isClosed
            else { return nil }
            state.phase = .ready(backup, until: until, fetches: fetches + 1)
            return backup
        }
    }

    /// Opens the bytes of a backup whose fetch has begun.
    func open(_ name: BackupName) throws(StoreError) -> any BackupReader { try store.openBackup(name) }

    /// Ends a fetch. A backup that was read to its end is removed; another is kept for some more time.
    func endFetch(_ name: BackupName, isWhole: Bool) {
        if isWhole { fetched() }
        let isOver = state.withLock { state in
            guard case .ready(let backup, _, let fetches) = state.phase, backup.name == name else { return false }
            state.phase =
                isWhole
                ? .idle : .ready(backup, until: .now + limits.backupKept, fetches: fetches - 1)
            return isWhole
        }
        if isOver { store.removeBackup(name) }
    }
}
