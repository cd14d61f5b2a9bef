import Logging
import Statechart
import Synchronization
import WorkflowStore

/// Does the runs over many instances, in turn: each time as much of one as the writer takes in a batch.
///
/// What it has in memory can be lost: how far a run is stands in the store, written with the work itself.
final class BulkRunner: Sendable {
    private struct State {
        /// Runs that are to be looked at: new ones, and those that somebody has changed.
        var changed: Set<BulkKey> = []
        /// Those under way, and why some rest for now.
        var active: Set<BulkKey> = []
        var paused: [BulkKey: String] = [:]
        var isClosed = false
    }

    /// Where one run is.
    private struct Way: Sendable {
        var run: BulkRecord
        let request: BulkRequest
        let filter: InstanceQuery?
        /// What comes next.
        var items: [BulkTarget] = []
        /// How far was looked; nil when there is no more.
        var next: BulkMark?
        /// How many go to the writer at once: one after a batch could not be written for a reason of its own.
        var atOnce: Int
        /// Why the next one cannot be done.
        var fault: String?
        var told: ContinuousClock.Instant?

        /// Of all that comes next.
        var preparedBytes: Int { items.reduce(0) { $0 + $1.preparation.size } }

        /// Whether all have their turn at once, or none.
        func isTogether(_ limits: EngineLimits) -> Bool {
            request.isAtomic && run.mark == .start && run.selected <= limits.instancesTogether
                && items.count <= limits.instancesTogether
        }

        init(_ run: BulkRecord, atOnce: Int) throws(Rejection) {
            let view = try BulkView(run)
            self.run = run
            self.atOnce = atOnce
            request = view.request
            next = run.mark
            if case .selection(let selection) = request.targets {
                filter = selection.filter(at: run.begun)
            } else {
                filter = nil
            }
        }
    }

    private let store: any WorkflowStore
    private let queue: CommandQueue
    private let limits: EngineLimits
    private let log: OperatorLog
    private let state = Mutex(State())
    /// Tells of each run that is further, or has ended.
    let feed: Feed<BulkKey>
    private let wakes: AsyncStream<Void>
    private let woken: AsyncStream<Void>.Continuation

    init(store: any WorkflowStore, queue: CommandQueue, limits: EngineLimits, log: OperatorLog) {
        self.store = store
        self.queue = queue
        self.limits = limits
        self.log = log
        feed = Feed(bound: limits.historyWaiters)
        (wakes, woken) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// A run was begun, stopped or resumed.
    func look(at key: BulkKey) {
        state.withLock { state in
            state.changed.insert(key)
            state.active.insert(key)
        }
        woken.yield()
    }

    /// The runs under way, and why some rest for now.
    var load: (active: Int, paused: [BulkKey: String]) { state.withLock { ($0.active.count, $0.paused) } }

    /// Takes a place for one more run; false when there are too many.
    func hasRoom() -> Bool { state.withLock { $0.active.count < limits.runsAtOnce } }

    /// Ends `run` soon. The runs go on with the next start.
    func close() {
        state.withLock { $0.isClosed = true }
        woken.finish()
        feed.close()
    }

    /// Goes on with what ran when the store was closed, and does what comes, until it is closed or cancelled.
    func run(for engine: Engine) async {
        await load()
        var ways: [BulkKey: Way] = [:]
        var iterator = wakes.makeAsyncIterator()
        while !Task.isCancelled {
            let (changed, isClosed) = state.withLock { state in
                defer { state.changed = [] }
                return (state.changed, state.isClosed)
            }
            if isClosed { return }
            for key in changed { ways[key] = await way(of: key) }
            var isResting = true
            for key in ways.keys.sorted() {
                guard let way = ways[key] else { continue }
                let (next, hasMoved) = await turn(of: way, for: engine)
                ways[key] = next
                if hasMoved { isResting = false }
            }
            if ways.isEmpty {
                guard await iterator.next() != nil else { return }
            } else if isResting {
                // Ends early when the engine does.
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
                        // Whoever restored the store decides what becomes of it.
                        _ = try await queue.submit(
                            ChangeRunCommand(key: run.key, state: .stopped, generation: store.identity.generation))
                    }
                }
                last = page.last?.key
            } while last != nil
        } catch {
            if Task.isCancelled || state.withLock({ $0.isClosed }) { return }
            log.tell(.runs, .warning, "runs could not be looked for", ["error": "\(error)"])
        }
    }

    /// Nil when there is nothing to do for it.
    private func way(of key: BulkKey) async -> Way? {
        do {
            if let run = try await store.bulkRun(key), run.state == .running {
                return try Way(run, atOnce: limits.selectedPage)
            }
        } catch {
            log.tell(.runs, .warning, "a run cannot be read", ["run": "\(key.name)", "error": "\(error)"])
        }
        ended(key)
        return nil
    }

    private func ended(_ key: BulkKey) {
        state.withLock { state in
            if !state.changed.contains(key) { state.active.remove(key) }
            state.paused[key] = nil
        }
        feed.tell { [key] }
    }
}

// MARK: A turn

extension BulkRunner {
    /// Does the next part of a run. Nil when it has ended; says whether it is further.
    private func turn(of way: Way, for engine: Engine) async -> (Way?, hasMoved: Bool) {
        var way = way
        let key = way.run.key
        do throws(Rejection) {
            // Reading goes on while the writer has a part.
            if way.items.count < way.atOnce, way.preparedBytes < limits.preparedBytes {
                try await read(&way, for: engine)
            }
            var pages = 1
            while way.next != nil, way.items.isEmpty || way.isTogether(limits) {
                if pages == limits.selectedPages { return (way, true) }
                try await read(&way, for: engine)
                pages += 1
            }
            let command = slice(of: way)
            let now = way
            async let read = readAhead(now, for: engine)
            let answer = try await queue.submit(command)
            let ids = command.items.prefix(answer.count).compactMap(\.id)
            try await engine.finish(way.request.action, of: ids)
            if let ahead = await read { way = ahead }
            return try take(answer, of: way)
        } catch {
            if error.code == .draining { return (way, false) }
            guard error.code.isOfDaemon || way.fault != nil else { return (narrow(way, error), true) }
            let isNew = state.withLock { $0.paused.updateValue(error.message, forKey: key) == nil }
            if isNew {
                log.tell(.runs, .warning, "a run pauses", ["run": "\(key.name)", "reason": "\(error.code.rawValue)"])
            }
            feed.tell { [key] }
            return (way, false)
        }
    }

    private func slice(of way: Way) -> BulkSliceCommand {
        let items = way.isTogether(limits) ? way.items : Array(way.items.prefix(way.atOnce))
        return BulkSliceCommand(
            key: way.run.key, request: way.request, filter: way.filter, from: way.run.mark, items: items,
            isLast: way.next == nil && items.count == way.items.count, fault: way.fault)
    }

    private func take(_ answer: BulkSliceCommand.Answer, of way: Way) throws(Rejection) -> (Way?, hasMoved: Bool) {
        var way = way
        let key = way.run.key
        guard let run = answer.run, run.state == .running else {
            if let run = answer.run, run.state == .done { log.ended(run) }
            ended(key)
            return (nil, true)
        }
        // Stopped and resumed meanwhile, or a batch before was lost.
        if answer.isStale { return (try Way(run, atOnce: limits.selectedPage), true) }
        way.run = run
        way.items.removeFirst(answer.count)
        way.atOnce = limits.selectedPage
        way.fault = nil
        let now = ContinuousClock.now
        let wasPaused = state.withLock { $0.paused.removeValue(forKey: key) != nil }
        if wasPaused || way.told.map({ now - $0 >= limits.progressInterval }) ?? true {
            way.told = now
            feed.tell { [key] }
        }
        return (way, answer.count > 0 || !way.items.isEmpty || way.next != nil)
    }

    /// What was to be done at once could not be written: then one by one, and the one to blame is told.
    private func narrow(_ way: Way, _ error: Rejection) -> Way {
        var way = way
        if way.atOnce > 1, !way.isTogether(limits) {
            way.atOnce = 1
        } else {
            way.fault = error.message
        }
        return way
    }

    /// Reads what comes next while a part is done; nil when there is enough, or it cannot be read: then the next turn
    /// says why.
    private func readAhead(_ way: Way, for engine: Engine) async -> Way? {
        guard way.next != nil, way.items.count < 2 * limits.selectedPage, way.preparedBytes < limits.preparedBytes
        else { return nil }
        var way = way
        do throws(Rejection) {
            try await read(&way, for: engine)
            return way
        } catch {
            return nil
        }
    }

    private func read(_ way: inout Way, for engine: Engine) async throws(Rejection) {
        guard let next = way.next else { return }
        let namespace = way.run.key.namespace
        guard case .selection(let selection) = way.request.targets, var filter = way.filter else {
            let names = try await engine.read { () async throws(StoreError) in
                try await store.bulkNames(of: way.run.key, from: next.number)
            }
            way.next = nil
            var size = 0
            for (offset, name) in names.enumerated() {
                let mark = BulkMark(machine: 0, number: next.number + Int64(offset) + 1)
                var target = BulkTarget(instance: name, id: nil, mark: mark)
                if way.request.action.isPrepared {
                    let record = try await engine.read { () async throws(StoreError) in
                        try await store.instance(InstanceKey(name, in: namespace))
                    }
                    if let record { target = try await self.target(record, mark, of: way, for: engine) }
                }
                guard add(target, to: &way, &size) else { return }
            }
            if !names.isEmpty { way.next = way.items.last?.mark }
            return
        }
        filter.limit = limits.selectedPage
        let query = SelectionQuery(filter, version: selection.version, after: next, limit: limits.selectedPage)
        let slice = try await engine.read { () async throws(StoreError) in
            try await store.selection(query, in: namespace)
        }
        var size = 0
        for record in slice.instances {
            let mark = BulkMark(machine: record.machineID.rawValue, number: record.id.rawValue)
            guard add(try await target(record, mark, of: way, for: engine), to: &way, &size) else { return }
        }
        way.next = slice.next
    }

    private func target(
        _ record: InstanceRecord, _ mark: BulkMark, of way: Way, for engine: Engine
    ) async throws(Rejection) -> BulkTarget {
        BulkTarget(
            instance: record.name, id: record.id, mark: mark,
            preparation: try await engine.prepare(way.request.action, on: record, in: way.run))
    }

    /// False when that is enough for now.
    private func add(_ target: BulkTarget, to way: inout Way, _ size: inout Int) -> Bool {
        way.items.append(target)
        size += target.preparation.size
        if size < limits.preparedBytes { return true }
        way.next = target.mark
        return false
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
