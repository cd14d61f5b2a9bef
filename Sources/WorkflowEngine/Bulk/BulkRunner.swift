import Logging
import Statechart
import Synchronization
import WorkflowStore

/// Carries out bulk runs in turn: each time as many instances of a run as the writer takes in a batch. The parts of
/// runs in different partitions do not wait for each other.
///
/// The runner's memory can be lost: the store has the progress of each run, written together with its work.
final class BulkRunner: Sendable {
    private struct State {
        /// The runs to look at: new runs, and runs that a caller has changed.
        var changed: Set<BulkKey> = []
        /// The runs under way, and the reasons why some pause.
        var active: Set<BulkKey> = []
        var paused: [BulkKey: String] = [:]
        /// The places of runs that are about to begin.
        var taken = 0
        var isClosed = false

        /// The number of runs under way.
        var runs: Int { Set(active.lazy.map { $0.with(partition: .first) }).count }

        /// Returns the parts to look at in a partition, once.
        mutating func takeChanged(in partition: PartitionID) -> Set<BulkKey> {
            let parts = changed.filter { $0.partition == partition }
            changed.subtract(parts)
            return parts
        }
    }

    /// The progress of one run.
    private struct Way: Sendable {
        /// The run as it is on disk.
        var run: BulkRecord
        let turns: BulkTurns
        /// The instances that come next.
        let feed = BulkFeed()
        /// The way through the instances that were not read.
        var walk: BulkWalk
        /// The parts that the writer has, in their order.
        var sent: [Sent] = []
        /// The number of instances that go to the writer at once: 1 after a batch of the run could not be written.
        var atOnce: Int
        /// The reason why the next instance cannot be done.
        var fault: String?
        /// True if other commands wait for the writer too.
        var isShared = false
        /// The time of the last progress report, or of the run's begin.
        var told = ContinuousClock.now

        var request: BulkRequest { turns.request }

        /// Returns true if all instances have their turn at once, or none has.
        func isTogether(_ limits: EngineLimits) -> Bool {
            request.isAtomic && run.mark == .start && run.selected <= limits.instancesTogether
                && feed.count <= limits.instancesTogether
        }

        /// Returns the number of parts that the writer has at once, if each fills a batch. One part always waits while
        /// one is applied, one is committed, and one is committed but not yet reported. Without a waiting part, the
        /// lane commits on its own thread.
        func depth(_ limits: EngineLimits) -> Int {
            isShared || atOnce == 1 || request.erasure != nil || isTogether(limits) ? 1 : 4
        }

        init(_ run: BulkRecord, atOnce: Int) throws(Rejection) {
            self.run = run
            self.atOnce = atOnce
            turns = try BulkTurns(try BulkView(run).request, at: run.begun, in: run.key.namespace)
            walk = BulkWalk(turns: turns, names: .stored(run.key), in: run.key.partition, next: run.mark)
        }
    }

    /// A part that the writer has; the stream returns its result.
    private typealias Sent = AsyncStream<Result<BulkSliceCommand.Answer, Rejection>>

    private let store: any WorkflowStore
    private let queue: CommandRouter
    private let limits: EngineLimits
    private let log: OperatorLog
    private let state = Mutex(State())
    /// Notifies callers of each run that has progressed or ended.
    let feed: Feed<BulkKey>
    /// Wakes the task of each partition.
    private let wakes: [PartitionID: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)]

    init(store: any WorkflowStore, queue: CommandRouter, limits: EngineLimits, log: OperatorLog) {
        self.store = store
        self.queue = queue
        self.limits = limits
        self.log = log
        feed = Feed(bound: limits.historyWaiters)
        let wakes = store.partitions.map { partition in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            return (partition, (stream: stream, continuation: continuation))
        }
        self.wakes = Dictionary(wakes) { first, _ in first }
    }

    /// Schedules a look at a run that was begun, stopped or resumed, in all partitions.
    func look(at key: BulkKey) {
        let parts = store.partitions.map { key.with(partition: $0) }
        state.withLock { state in
            state.changed.formUnion(parts)
            state.active.formUnion(parts)
        }
        for wake in wakes.values { wake.continuation.yield() }
    }

    /// The number of runs under way, and the reasons why parts of some pause.
    var load: (active: Int, paused: [BulkKey: String]) {
        state.withLock { state in (state.runs, state.paused) }
    }

    /// Reserves a place for one more run until `leavePlace`. By then the run was looked at, or did not begin.
    func takePlace() throws(Rejection) {
        let hasRoom = state.withLock { state in
            guard state.runs + state.taken < limits.runsAtOnce else { return false }
            state.taken += 1
            return true
        }
        if !hasRoom { throw .runsUnderWay(limits.runsAtOnce) }
    }

    /// Releases the place from `takePlace`.
    func leavePlace() { state.withLock { $0.taken -= 1 } }

    /// Ends `run` soon. The runs continue after the next start.
    func close() {
        state.withLock { $0.isClosed = true }
        for wake in wakes.values { wake.continuation.finish() }
        feed.close()
    }

    /// Continues the runs that were under way when the store was closed, and carries out new ones, until the runner is
    /// closed or cancelled.
    func run(for engine: Engine) async {
        await load()
        await withTaskGroup { group in
            for (partition, wake) in wakes {
                group.addTask { await self.run(in: partition, wake.stream, for: engine) }
            }
        }
    }

    private func run(in partition: PartitionID, _ wakes: AsyncStream<Void>, for engine: Engine) async {
        var ways: [BulkKey: Way] = [:]
        var iterator = wakes.makeAsyncIterator()
        while !Task.isCancelled {
            let (changed, isClosed) = state.withLock { ($0.takeChanged(in: partition), $0.isClosed) }
            if isClosed { return }
            var isOpening = false
            for key in changed {
                ways[key] = await way(of: key, for: engine)
                isOpening = isOpening || state.withLock { $0.changed.contains(key) }
            }
            var isResting = true
            for key in ways.keys.sorted() {
                guard let way = ways[key] else { continue }
                let (next, hasMoved) = await turn(of: way, for: engine)
                ways[key] = next
                if hasMoved { isResting = false }
            }
            if ways.isEmpty, !isOpening {
                guard await iterator.next() != nil else { return }
            } else if isResting {
                // The pause ends early when the engine ends.
                try? await Task.sleep(for: limits.probePause)
            }
        }
    }

    private func load() async {
        do {
            var last: BulkKey?
            repeat {
                let page = try await store.bulkRuns(after: last, limit: 100)
                for run in page where run.state == .running {
                    if run.generation == store.identity.generation {
                        look(at: run.key)
                    } else {
                        // The person who restored the store decides whether the run continues.
                        _ = try await queue.submit(
                            ChangeRunCommand(
                                key: run.key, state: .stopped, generation: store.identity.generation, caller: nil))
                    }
                }
                last = page.last?.key
            } while last != nil
        } catch {
            if Task.isCancelled || state.withLock({ $0.isClosed }) { return }
            log.tell(.runs, .warning, "runs could not be looked for", ["error": "\(error)"])
        }
    }

    /// Returns the progress of a run; `nil` if there is nothing to do for it.
    private func way(of key: BulkKey, for engine: Engine) async -> Way? {
        do {
            var run = try await store.bulkRun(key)
            if store.partitions.count > 1, let found = run, found.state == .running, !found.isOpened {
                // Its begin was interrupted.
                guard try await isOpened(key) else { return nil }
                run = try await store.bulkRun(key)
            }
            if let run, run.state == .running {
                let way = try Way(run, atOnce: limits.selectedPage)
                if store.partitions.count > 1 { state.withLock { $0.paused[key] = nil } }
                return way
            }
        } catch {
            log.tell(.runs, .warning, "a run cannot be read", ["run": "\(key.name)", "error": "\(error)"])
        }
        await ended(key, for: engine)
        return nil
    }

    /// Opens a part of a run. Returns false if the daemon cannot do so now; the part is looked at again.
    private func isOpened(_ key: BulkKey) async throws(Rejection) -> Bool {
        do throws(Rejection) {
            try await queue.submit(OpenRunCommand(key: key))
            return true
        } catch {
            guard error.code.isOfDaemon else { throw error }
            state.withLock { state in
                state.changed.insert(key)
                state.paused[key] = error.message
            }
            tell(of: key)
            return false
        }
    }

    /// - Parameter part: The part of the run, if it had something to do until now.
    private func ended(_ key: BulkKey, _ part: BulkRecord? = nil, for engine: Engine) async {
        let isLast = state.withLock { state in
            if !state.changed.contains(key) { state.active.remove(key) }
            state.paused[key] = nil
            return !state.active.contains { $0 != key && $0.with(partition: key.partition) == key }
        }
        // The run is done in the partition that ends last. A failure to read leaves out a line of the log only.
        if let part, part.state == .done, isLast, let run = try? await engine.whole(part), run.state == .done {
            log.ended(run)
        }
        tell(of: key)
    }

    /// Notifies the callers who wait for a run.
    private func tell(of key: BulkKey) { feed.tell { [key.with(partition: .first)] } }
}

// MARK: A turn

extension BulkRunner {
    /// Sends the next parts of a run to the writer, and waits for the oldest. Returns `nil` if the run has ended, and
    /// true in `hasMoved` if the run has progressed.
    private func turn(of way: Way, for engine: Engine) async -> (Way?, hasMoved: Bool) {
        var way = way
        let key = way.run.key
        do throws(Rejection) {
            var pages = 0
            // The second page shows whether a short run is complete; a complete one is done at once.
            while way.walk.next != nil, way.feed.count == 0 || way.isTogether(limits) || pages < 2 && hasRoom(way) {
                if pages == limits.selectedPages { return (way, true) }
                try await read(&way, for: engine)
                pages += 1
            }
            if let reason = await pendingErasure(of: way, for: engine) {
                state.withLock { $0.paused[key] = reason }
                tell(of: key)
                return (way, true)
            }
            while way.sent.count < way.depth(limits) { way.sent.append(send(way)) }
            let now = way
            // Reading continues while the writer has a part.
            async let read = readAhead(now, for: engine)
            // The task is cancelled when this function ends; once there is an answer, nothing is left to hurry.
            async let _ = hurry(now)
            let answer = await answer(&way)
            // This runs after a failure too: the feed has the instances that were read, so they must not be read again.
            way.walk = await read
            return try await take(try answer.get(), of: way, for: engine)
        } catch {
            // The parts that were sent behind the failed one are tried again with it.
            while !way.sent.isEmpty { _ = await answer(&way) }
            if error.code == .draining { return (way, false) }
            guard error.code.isOfDaemon || way.fault != nil else { return (narrow(way, error), true) }
            let isNew = state.withLock { $0.paused.updateValue(error.message, forKey: key) == nil }
            if isNew {
                log.tell(.runs, .warning, "a run pauses", ["run": "\(key.name)", "reason": "\(error.code.rawValue)"])
            }
            tell(of: key)
            return (way, false)
        }
    }

    /// Returns the reason why a run whose instances all had their turns is not done yet: erased data is still in the
    /// files.
    private func pendingErasure(of way: Way, for engine: Engine) async -> String? {
        guard way.sent.isEmpty, way.walk.next == nil, way.feed.count == 0, let kind = way.request.erasure else {
            return nil
        }
        return await engine.awaitErasing(of: kind, for: limits.erasureTurn)
    }

    private func hasRoom(_ way: Way, pages: Int = 1) -> Bool {
        way.feed.count < pages * limits.selectedPage && way.feed.bytes < limits.preparedBytes
    }

    private func send(_ way: Way) -> Sent {
        let isTogether = way.isTogether(limits)
        let command = BulkSliceCommand(
            key: way.run.key, turns: way.turns, feed: way.feed,
            atMost: isTogether ? .max : way.atOnce, isTogether: isTogether, fault: way.fault,
            size: 1_024 + 64 * way.feed.count + way.feed.bytes)
        let (sent, continuation) = Sent.makeStream()
        queue.begin(part: command, in: way.run.key.partition, isPatient: way.isShared) { answer in
            continuation.yield(answer)
            continuation.finish()
        }
        return sent
    }

    /// Makes the writer take a part alone. While other commands come, a part goes with them; this function waits for a
    /// while before it hurries the part.
    private func hurry(_ way: Way) async {
        guard way.isShared, (try? await Task.sleep(for: limits.sharedPatience)) != nil else { return }
        queue.hurry()
    }

    /// Returns the result of the part that was sent first.
    private func answer(_ way: inout Way) async -> Result<BulkSliceCommand.Answer, Rejection> {
        let sent = way.sent.removeFirst()
        for await answer in sent { return answer }
        // The runner was cancelled.
        return .failure(.draining)
    }

    private func take(
        _ answer: BulkSliceCommand.Answer, of way: Way, for engine: Engine
    ) async throws(Rejection) -> (Way?, hasMoved: Bool) {
        var way = way
        let key = way.run.key
        if let run = answer.run {
            let done = way.feed.drop(through: run.mark)
            if way.request.erasure == .redaction {
                try await engine.finishErasures(ofEach: done.compactMap(\.id))
            }
        }
        guard let run = answer.run, run.state == .running else {
            // The parts that were sent behind this one have nothing to do.
            while !way.sent.isEmpty { _ = await self.answer(&way) }
            await ended(key, answer.run, for: engine)
            return (nil, true)
        }
        way.run = run
        way.atOnce = limits.selectedPage
        way.fault = nil
        way.isShared = answer.isShared
        let now = ContinuousClock.now
        let wasPaused = state.withLock { $0.paused.removeValue(forKey: key) != nil }
        if wasPaused || now - way.told >= limits.progressInterval {
            way.told = now
            tell(of: key)
        }
        return (way, answer.count > 0 || way.feed.count > 0 || way.walk.next != nil)
    }

    /// Handles a part that could not be written: its instances are done one by one, and the faulty one gets the error.
    private func narrow(_ way: Way, _ error: Rejection) -> Way {
        var way = way
        if way.atOnce > 1, !way.isTogether(limits) {
            way.atOnce = 1
        } else {
            way.fault = error.message
        }
        return way
    }

    /// Reads the next instances while a part is done. Returns the way through the rest.
    private func readAhead(_ way: Way, for engine: Engine) async -> BulkWalk {
        guard way.walk.next != nil, hasRoom(way, pages: 1 + way.depth(limits)) else { return way.walk }
        var way = way
        do throws(Rejection) {
            try await read(&way, for: engine)
        } catch {
            // A later turn reports the error.
        }
        return way.walk
    }

    /// Reads and prepares the next instances, as many as have room together.
    private func read(_ way: inout Way, for engine: Engine) async throws(Rejection) {
        var walk = way.walk
        var targets: [BulkTarget] = []
        var bytes = 0
        for met in try await walk.slice(in: engine) {
            if bytes >= limits.preparedBytes {
                walk.next = targets.last?.mark
                break
            }
            let target = try await target(met, of: way, for: engine)
            targets.append(target)
            bytes += target.size
        }
        way.walk = walk
        way.feed.add(targets, isComplete: walk.next == nil)
    }

    private func target(_ met: BulkWalk.Met, of way: Way, for engine: Engine) async throws(Rejection) -> BulkTarget {
        var target = BulkTarget(met)
        guard let record = met.record else { return target }
        let run = way.run
        if way.request.isForUnmoved, record.head >= run.floor {
            target.preparation = .passedOver
            return target
        }
        if let filter = way.turns.filter {
            switch try await engine.meeting(with: record, by: filter, since: run.floor) {
            case .selected: break
            case .crossed(let stays):
                let isAhead = run.mark.machine < record.machineID.rawValue
                target.crossing = BulkCrossing(stays: stays, head: isAhead ? record.head : nil)
            case .foreign:
                target.preparation = .passedOver
                return target
            }
        }
        let caller = Caller(run.actor, namespace: run.key.namespace)
        let order = BulkOrder(reason: way.request.reason, run: run.key.name, caller: caller)
        target.preparation = try await engine.prepare(record, for: order, way.request.action)
        return target
    }
}

extension OperatorLog.Topic {
    static let runs = OperatorLog.Topic("runs over many instances")
}

extension OperatorLog {
    fileprivate func ended(_ run: BulkRecord) {
        let outcome = BulkOutcome(run.outcome)
        var metadata: [String: String] = ["run": run.key.name]
        for kind in BulkOutcome.Kind.allCases where outcome.count(of: kind) > 0 {
            metadata[kind.rawValue] = "\(outcome.count(of: kind))"
        }
        tell(.runs, .notice, "a run is done", metadata.mapValues { "\($0)" })
    }
}
