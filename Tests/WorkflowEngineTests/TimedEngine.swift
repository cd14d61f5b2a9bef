import IdentityTesting
import Logging
import NaiveStatechart
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// An engine on a real file with a clock that the test moves. It can be stopped and started again.
final class TimedEngine {
    let clock: any WallClock
    let folder: StoreFolder
    let limits: EngineLimits
    private let logger: Logger
    private let executors: [any EffectExecutor]
    private var running: RunningEngine

    var engine: Engine { running.engine }
    var store: any WorkflowStore { running.engine.store }

    /// - Parameter clock: The clock; a virtual one makes the store one of virtual time.
    init(
        _ definitions: String..., limits: EngineLimits = EngineLimits(), clock: any WallClock = HandClock(),
        executors: [any EffectExecutor] = [],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) async throws {
        self.logger = logger
        self.clock = clock
        self.limits = limits
        self.executors = executors
        folder = try StoreFolder()
        running = try await Self.open(folder, limits, clock, executors, logger)
        for definition in definitions { _ = try await engine.apply(definition, syntax: .yaml) }
    }

    private static func open(
        _ folder: StoreFolder, _ limits: EngineLimits, _ clock: any WallClock, _ executors: [any EffectExecutor],
        _ logger: Logger
    ) async throws -> RunningEngine {
        let store = try SQLiteFileStore.open(
            at: folder.path + "/wfd.db", clock: clock.now(), on: clock is VirtualClock ? .virtual : .real)
        return try await RunningEngine(
            store: store, limits: limits, clock: clock, executors: executors, logger: logger)
    }

    func stop() async throws {
        try await running.stop()
    }

    /// Stops the engine, advances the clock, and starts another engine on the same file.
    func restart(after milliseconds: Int64 = 0) async throws {
        try await running.stop()
        move(milliseconds)
        running = try await Self.open(folder, limits, clock, executors, logger)
    }

    /// Starts another engine on the file of a stopped one.
    func reopen() async throws { running = try await Self.open(folder, limits, clock, executors, logger) }

    /// Moves the clock, forward or back, and waits until nothing is due any more.
    func pass(_ milliseconds: Int64) async throws {
        move(milliseconds)
        engine.clockWasMoved()
        try await settle()
    }

    private func move(_ milliseconds: Int64) {
        (clock as? HandClock)?.advance(milliseconds)
    }

    /// Waits until nothing is due.
    func settle() async throws {
        try await eventually("timers that are due have fired") {
            let next = try await store.timers(after: nil, limit: 1).first
            return next.map { $0.timer.key.due > clock.now() } ?? true
        }
    }

    @discardableResult
    func start(_ machine: String, _ name: String? = nil, key: String? = nil) async throws(Rejection) -> InstanceView {
        try await engine.start(
            StartCommand(machine: machine, instance: name, key: key.flatMap(RequestKey.init(text:))))
    }

    @discardableResult
    func send(
        _ event: String, _ data: JSONValue? = nil, to name: String, key: String? = nil, isDryRun: Bool = false
    ) async throws(Rejection) -> SendResult {
        try await engine.send(
            SendCommand(
                instance: name, event: Event(name: event, data: data), isDryRun: isDryRun,
                key: key.flatMap(RequestKey.init(text:))))
    }

    /// Returns the kind of a rejection; `none` for success.
    func rejection(_ body: () async throws(Rejection) -> Void) async -> String {
        do throws(Rejection) {
            try await body()
            return "none"
        } catch {
            return error.kind
        }
    }

    func record(_ name: String) async throws -> InstanceRecord {
        try await engine.instance(named: name).record
    }

    /// Returns the value of a key in an instance's context.
    func context(_ key: String, of name: String) async throws -> JSONValue? {
        try JSONReader.value(from: try await record(name).state.context).object?[key]
    }

    /// Returns the history of an instance.
    func rows(_ name: String) async throws -> [JournalRecord] {
        let record = try await record(name)
        var rows: [JournalRecord] = []
        while rows.count < record.seq.rawValue {
            let page = try await engine.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq,
                    seqs: Int64(rows.count) + 1...record.seq.rawValue, isReversed: false), of: record, by: .test)
            try #require(!page.isEmpty)
            rows += page
        }
        return rows
    }

    /// Returns the attempts of the effect that an instance's first row began.
    func firstAttempts(of record: InstanceRecord) async throws -> [AttemptRecord] {
        let first = try await rows(record.name.rawValue)[0]
        return try await store.attempts(of: first.position.next, instance: record.id)
    }

    /// Returns the journal of all instances, in the order of writing.
    func journal() async throws -> [JournalRecord] {
        var rows: [JournalRecord] = []
        let last = try await store.row(before: Position(rawValue: 1 << 47))?.position.rawValue ?? 0
        for position in 1..<(last + 1) {
            if let row = try await store.row(at: Position(rawValue: position)) { rows.append(row) }
        }
        return rows
    }

    /// Expects that the history leads to the stored row, by the engine's fold and by the naive interpreter. The timers
    /// in the store must be those that the instance has armed.
    func expectWhole(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let record = try await record(name)
        var fold = Fold(of: record)
        for row in try await rows(name) {
            let loaded = try await engine.loadedMachine(row.machineID)
            try fold.apply(row, machine: loaded.machine, version: loaded.record.version)
        }
        let machine = try await engine.loadedMachine(record.machineID).machine
        let version = try await engine.loadedMachine(record.machineID).record.version
        var history = try NaiveHistory(of: record, machine: machine, version: version)
        for row in try await rows(name) { #expect(try history.follow(row) == nil, sourceLocation: sourceLocation) }
        #expect(try history.differences(from: record.state) == [], sourceLocation: sourceLocation)
        #expect(history.status == record.status.rawValue, sourceLocation: sourceLocation)
        let positions = try SnapshotText.positions(in: record.state.armed)
        #expect(fold.snapshot.map { machine.text(of: $0) } == record.unplacedState, sourceLocation: sourceLocation)
        #expect(fold.snapshot?.status.rawValue == record.status.rawValue, sourceLocation: sourceLocation)
        let armed = record.status == .running ? fold.snapshot?.armed ?? [] : []
        let expected = zip(armed, positions).filter { $0.0.kind != .invocation }.map { timer, position in
            TimerKey(
                due: Timestamp(rawValue: timer.due.milliseconds), position: Position(rawValue: position),
                ordinal: Int64(timer.id.number))
        }
        let stored = try await store.timers(after: nil, limit: 100_000).map(\.timer).filter {
            $0.instanceID == record.id
        }
        #expect(stored.map(\.key) == expected.sorted(), sourceLocation: sourceLocation)
        #expect(
            Set(stored.map(\.event)) == Set(armed.filter { $0.kind != .invocation }.map(\.event)),
            sourceLocation: sourceLocation)
    }
}
