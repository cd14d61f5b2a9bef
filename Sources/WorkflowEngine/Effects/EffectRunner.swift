import Logging
import ServiceLifecycle
import Statechart
import Synchronization
import WorkflowStore

/// Makes attempts at the effects that the daemon carries out itself, and gives the outcomes to the writer.
///
/// The store records nothing when an attempt begins; after a kill the attempt is made again. If the attempt itself may
/// have ended the process, a log has its begin, and the next start counts it. An attempt's place becomes free only when
/// its outcome is on disk or no longer wanted. So a full disk does not cause repeated attempts.
package final class EffectRunner: Service {
    /// An attempt that has begun and whose outcome is not on disk.
    private struct Attempt {
        let task: Task<Void, Never>
        /// True while the attempt's outcome is being written: nothing stops the attempt any more.
        var hasEnded = false
    }

    private struct State {
        var plan: EffectPlan
        var attempts: [Position: Attempt] = [:]
        /// True when nothing more is started.
        var isEnding = false
        /// True when running attempts are no longer waited for.
        var isOver = false
        /// The callers that wait until nothing runs and nothing is ready.
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Returns true if nothing runs and nothing will start.
        ///
        /// - Parameter isHeld: True if effects are held, so that none starts.
        func isSettled(_ isHeld: Bool) -> Bool { attempts.isEmpty && (isEnding || isHeld || plan.isSettled) }

        /// Cancels the attempt at an effect whose outcome nobody wants any more.
        func stop(_ effect: Position) {
            if let attempt = attempts[effect], !attempt.hasEnded { attempt.task.cancel() }
        }

        mutating func tellSettled() {
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    private enum Job {
        case start(FoundEffect, EffectAttempt)
        case find(FindEffectsCommand)
    }

    private let executor: any EffectExecutor
    private let store: any WorkflowStore
    private let queue: CommandRouter
    private let board: QueueBoard
    private let clock: any WallClock
    private let limits: EngineLimits
    private let health: [WriteHealth]
    private let beginning: Moment
    private let ownership: (any Ownership)?
    private let metrics: EngineMetrics
    private let log: OperatorLog
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(
        _ executor: any EffectExecutor, store: any WorkflowStore, queue: CommandRouter, board: QueueBoard,
        clock: any WallClock, limits: EngineLimits, health: [WriteHealth],
        beginning: Moment, ownership: (any Ownership)?, metrics: EngineMetrics, log: OperatorLog
    ) {
        self.executor = executor
        self.store = store
        self.queue = queue
        self.board = board
        self.clock = clock
        self.limits = limits
        self.health = health
        self.beginning = beginning
        self.ownership = ownership
        self.metrics = metrics
        self.log = log
        state = Mutex(
            State(plan: EffectPlan(places: executor.places, bytes: limits.foundBytes, begun: limits.begunEffects)))
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs until graceful shutdown, and then until every started attempt has ended or was cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.beginning.wait() }
        guard beginning.hasCome else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.findQueues() }
            group.addTask {
                // New settings may let more effects run, so all queues are searched again.
                guard let changes = self.board.changes() else { return }
                for await _ in changes { await self.findQueues() }
            }
            await withGracefulShutdownHandler {
                await self.serve(&group)
            } onGracefulShutdown: {
                self.state.withLock { $0.isEnding = true }
                self.wake.yield()
            }
            // Running attempts get a grace period; then they are cancelled, and made again after the next start.
            group.addTask { await self.endLate() }
            await self.settled()
            await executor.log?.close()
            group.cancelAll()
        }
    }

    private func serve(_ group: inout DiscardingTaskGroup) async {
        var alarm: (time: ContinuousClock.Instant, task: Task<Void, Never>)?
        defer { alarm?.task.cancel() }
        await countInterrupted()
        for await _ in wakes {
            // A started attempt runs in a task of its own, which starts further attempts while there are any.
            while let job = nextJob() {
                if case .find(let command) = job { group.addTask { await self.find(command) } }
            }
            if state.withLock({ $0.isEnding }) { return }
            guard let pause = nextLook() else { continue }
            let (now, time) = (ContinuousClock.now, ContinuousClock.now + pause)
            // An alarm that rings no later than `time` is early enough.
            if let alarm, alarm.time > now, alarm.time <= time { continue }
            alarm?.task.cancel()
            let task = Task {
                // The alarm is cancelled when there is a reason to look earlier.
                guard (try? await Task.sleep(until: time, clock: .continuous)) != nil else { return }
                self.wake.yield()
            }
            alarm = (time, task)
        }
    }

    /// Returns the next job; `nil` if there is nothing to do before something changes. A started attempt runs in a new
    /// task, or in `task`, which has just ended another attempt.
    private func nextJob(in task: Task<Void, Never>? = nil) -> Job? {
        let now = clock.now()
        guard health.reason == nil, !board.isHeld, mayStart else {
            state.withLock { if $0.attempts.isEmpty { $0.tellSettled() } }
            return nil
        }
        let job = state.withLock { state -> Job? in
            if state.isEnding { return nil }
            switch state.plan.next(at: now, settings: settings) {
            case .find(let queue, let limit, let except):
                return .find(
                    FindEffectsCommand(
                        queue: queue, limit: limit, except: except, countsInterruptions: executor.log != nil))
            case .start(let found):
                let attempt = EffectAttempt(found, begun: now)
                // `attempts` has the running tasks by effect, and `settled` waits for them.
                state.attempts[found.effect.id] = Attempt(task: task ?? Task { await self.work(found, attempt) })
                return .start(found, attempt)
            case nil:
                if state.isSettled(board.isHeld) { state.tellSettled() }
                return nil
            }
        }
        if case .start(let found, _) = job {
            metrics.began(in: found.effect.queue, late: now.rawValue - found.effect.due.rawValue)
        }
        return job
    }

    /// False if another daemon may own the store by now.
    private var mayStart: Bool { ownership?.mayStartEffects ?? true }

    /// Returns a queue's number of places and its rate.
    private func settings(of queue: String) -> (places: Int, rate: StartRate?) {
        let settings = board.settings(of: queue)
        return (settings.isPaused ? 0 : settings.concurrency ?? executor.placesOfQueue, StartRate(settings))
    }

    /// The known time until something must be looked at, at most a minute, because clocks are set. `nil` on a clock
    /// that is moved by hand.
    private func nextLook() -> Duration? {
        if health.reason != nil || !mayStart { return limits.probePause }
        guard let due = nextDue, clock.date(of: due) != nil else { return nil }
        return .milliseconds(min(60_000, max(1, due.rawValue - clock.now().rawValue)))
    }

    /// Looks once at all queues of the store; commits report everything later.
    private func findQueues() async {
        var last: String? = executor.queues
        while let after = last {
            let page = await insist { () async throws(Rejection) in try await queues(after: after) }
            guard let names = page else { return }
            let own = names.prefix { $0.hasPrefix(executor.queues) }
            state.withLock { state in for name in own { state.plan.expectMore(of: name) } }
            wake.yield()
            last = own.count == limits.batchRows ? own.last : nil
        }
    }

    private func queues(after name: String) async throws(Rejection) -> [String] {
        do throws(StoreError) {
            return try await store.look { [limits, partitions = store.partitions] (lookup) throws(StoreError) in
                var names: Set<String> = []
                for partition in partitions {
                    names.formUnion(try lookup.queues(in: partition, after: name, limit: limits.batchRows))
                }
                return Array(names.sorted().prefix(limits.batchRows))
            }
        } catch {
            throw .notCarriedOut(error)
        }
    }

    private func find(_ command: FindEffectsCommand) async {
        let answer = await insist { () async throws(Rejection) in
            FindEffectsCommand.Answer(try await queue.submitToEach(command))
        }
        let retry = Timestamp(rawValue: clock.now().rawValue + 1_000)
        state.withLock { state in
            if let answer {
                state.plan.found(answer.effects, of: command.queue, hasMore: answer.hasMore, next: answer.next)
            } else {
                state.plan.notFound(command.queue, before: retry)
            }
        }
        wake.yield()
    }

    /// Makes an attempt, and further attempts in the places that become free.
    private func work(_ found: FoundEffect, _ attempt: EffectAttempt) async {
        // The remaining work may be due later, or belong to another task.
        defer { wake.yield() }
        var (found, attempt) = (found, attempt)
        while true {
            await keepBegin(of: found, attempt)
            let outcome = await executor.run(attempt)
            guard let task = await finish(found, attempt, outcome) else { return }
            switch nextJob(in: task) {
            case .start(let next, let itsAttempt)?: (found, attempt) = (next, itsAttempt)
            case .find(let command)?:
                // Other tasks may have something to start meanwhile.
                wake.yield()
                return await find(command)
            case nil: return
            }
        }
    }

    /// Gives an attempt's outcome to the writer. Returns the task in which the next attempt may run; `nil` if the task
    /// was cancelled.
    private func finish(
        _ found: FoundEffect, _ attempt: EffectAttempt, _ outcome: AttemptOutcome
    ) async -> Task<Void, Never>? {
        let id = found.effect.id
        // A cancelled attempt's outcome is not wanted.
        let wasStopped = state.withLock { state -> Bool in
            state.attempts[id]?.hasEnded = true
            return Task.isCancelled
        }
        var isWritten = wasStopped
        if !wasStopped {
            let command = FinishAttemptCommand(found: found, begun: attempt.begun, outcome: outcome)
            isWritten = await insist { () async throws(Rejection) in try await queue.submit(command) } != nil
        }
        // The process has outlived the attempt, whatever its outcome.
        await executor.log?.ended(AttemptBegin(of: found, attempt))
        let task = state.withLock { state -> Task<Void, Never>? in
            let task = state.attempts.removeValue(forKey: id)?.task
            // If the outcome cannot be written, the attempt keeps its place until the next start, so that it is not
            // repeated.
            if isWritten, state.plan.ended(id, of: found.effect.queue, isReached: wasStopped ? nil : outcome.isReached)
            {
                wake.yield()
            }
            if state.isEnding, state.isSettled(board.isHeld) { state.tellSettled() }
            return task
        }
        if !isWritten {
            log.tell(
                .effects, .warning, "what came of an effect was not written; it is done again after the next start",
                ["instance": "\(found.instance.name)", "effect": "\(found.effect.name)"])
        }
        return wasStopped ? nil : task
    }

    /// Asks the writer or the store until there is an answer; returns `nil` if there never will be.
    private func insist<Answer>(
        until isOver: (State) -> Bool = { $0.isOver }, _ ask: () async throws(Rejection) -> Answer
    ) async -> Answer? {
        while true {
            do throws(Rejection) {
                return try await ask()
            } catch {
                guard error.passes, !state.withLock({ isOver($0) }) else { return nil }
                // The writer is overloaded, or its disk is full. A cancelled task does not wait.
                guard (try? await Task.sleep(for: limits.effectPause)) != nil else { return nil }
            }
        }
    }
}

// MARK: Attempts that the process did not outlive

extension EffectRunner {
    /// Logs the begin of an attempt if the executor's attempts can end the process. If the begin cannot be logged, the
    /// attempt is made all the same.
    private func keepBegin(of found: FoundEffect, _ attempt: EffectAttempt) async {
        guard let begun = executor.log, await !begun.began(AttemptBegin(of: found, attempt)) else { return }
        log.tell(
            .effects, .warning, "the begin of a program was not kept: if it ends wfd, nobody knows that it ran",
            [
                "file": "\(begun.place)", "hint": "the file must be a regular one, with one name, that wfd may write",
                "instance": "\(found.instance.name)", "effect": "\(found.effect.name)",
            ])
    }

    /// Counts the attempts that an earlier process had begun when it died, before any attempt begins.
    private func countInterrupted() async {
        guard let begun = executor.log else { return }
        for attempt in await begun.unended() {
            let command = InterruptedAttemptCommand(attempt: attempt, queues: executor.queues)
            let ask = { () async throws(Rejection) in try await self.queue.submit(command) }
            guard let answer = await insist(until: { $0.isEnding }, ask) else { return }
            guard let instance = answer else { continue }
            log.tell(
                .effects, .warning,
                "\(attempt.isOfThisBoot ? "wfd" : "the machine") ended while a program ran: that counts as an attempt",
                ["instance": "\(instance)", "attempt": "\(attempt.begin.number)"])
        }
        await begun.forget()
    }
}

// MARK: Waiting for the end

extension EffectRunner {
    /// Waits until nothing runs and nothing is known to be ready; during shutdown, until nothing runs.
    func settled() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.plan.expectDue(at: clock.now())
                if state.isSettled(board.isHeld) {
                    continuation.resume()
                } else {
                    state.waiters.append(continuation)
                }
            }
        }
    }

    private func endLate() async {
        // This task is cancelled when nothing runs any more.
        try? await Task.sleep(for: limits.endingEffects)
        let late = state.withLock { state in
            state.isOver = true
            return state.attempts.values.map(\.task)
        }
        for task in late { task.cancel() }
    }

    /// The time at which the next effect is ready; `nil` if none is known.
    var nextDue: Timestamp? { board.isHeld ? nil : state.withLock { $0.plan.nextDue } }

    /// True if nothing runs and nothing is known to be ready.
    var isSettled: Bool {
        state.withLock { state in
            state.plan.expectDue(at: clock.now())
            return state.isSettled(board.isHeld)
        }
    }

    /// Returns true if this runner starts the effects of a queue.
    func serves(_ queue: String) -> Bool { queue.hasPrefix(executor.queues) }

    /// Returns true if an attempt at an effect is being made.
    func runs(_ effect: Position) -> Bool { state.withLock { $0.attempts[effect] != nil } }

    /// Returns true if an attempt at an effect is being made and has no outcome yet.
    func acts(on effect: Position) -> Bool { state.withLock { $0.attempts[effect]?.hasEnded == false } }

    /// The effects at which attempts are being made.
    var runningEffects: [Position] { state.withLock { Array($0.attempts.keys) } }

    /// Returns the number of attempts of a queue that are being made.
    func running(in queue: String) -> Int { state.withLock { $0.plan.running(in: queue) } }

    /// Returns the reasons for which an effect would be held.
    func missing(for action: EffectAction) async -> [String] { await executor.missing(for: action) }

    /// Looks for due effects after the clock was moved.
    func look() { wake.yield() }
}

extension EffectRunner: CommitObserver {
    package func committed(_ committed: Committed) {
        let now = clock.now()
        let isConcerned = state.withLock { state in
            var isConcerned = false
            for batch in committed.batches where batch.batch.hasEffects {
                let stopped = state.plan.adopt(batch.batch, at: now, serves: serves)
                for id in stopped { state.stop(id) }
                isConcerned = true
            }
            return isConcerned
        }
        if isConcerned { wake.yield() }
    }
}

extension StoreBatch {
    /// True if the batch concerns running or waiting effects.
    fileprivate var hasEffects: Bool {
        !newEffects.isEmpty || !changedEffects.isEmpty || !endedEffects.isEmpty || !suspended.isEmpty
            || changedSettings.contains(where: \.isSuspended)
    }
}

extension EffectAttempt {
    fileprivate init(_ found: FoundEffect, begun: Timestamp) {
        self.init(
            queue: found.effect.queue, name: found.effect.name, instance: found.instance.name, uuid: found.uuid,
            number: found.effect.attempts + 1, key: found.effect.key(of: found.uuid), begun: begun,
            request: found.effect.requested)
    }
}

extension AttemptBegin {
    fileprivate init(of found: FoundEffect, _ attempt: EffectAttempt) {
        self.init(
            effect: found.effect.id, round: found.effect.round, number: attempt.number, begun: attempt.begun)
    }
}

extension AttemptOutcome {
    /// True if a service answered, false if none did; `nil` if the outcome does not tell.
    fileprivate var isReached: Bool? {
        switch self {
        case .done: true
        case .failed(let failure): !["dns", "connect", "timeout"].contains(failure.type)
        case .held: nil
        }
    }
}

extension Rejection {
    /// True if the same command may be accepted later.
    fileprivate var passes: Bool { code == .overloaded || code == .storageUnavailable }
}
