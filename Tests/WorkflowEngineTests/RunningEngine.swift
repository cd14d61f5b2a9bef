import Foundation
import IdentityTesting
import Logging
import SQLiteStore
import ServiceLifecycle
import Statechart
import Synchronization
import WorkflowEngine
import WorkflowJSON
import WorkflowStore
import WorkflowThreads

/// An engine that runs until it is stopped, with the machine `lamp`: `flip` turns it on and off, `off` only off.
final class RunningEngine: Sendable {
    static let definition = """
        id: lamp
        initial: off
        context: {lit: false}
        states:
          off:
            on: {flip: on}
          on:
            entry: {assign: {lit: true}}
            exit: {assign: {lit: false}}
            on: {flip: off, off: off}
        """

    let engine: Engine
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    init(
        store: any WorkflowStore, limits: EngineLimits = EngineLimits(), clock: any WallClock = SystemClock(),
        executors: [any EffectExecutor] = [], observers: [any CommitObserver] = [],
        compiling threads: BackgroundThreads = .compiling,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) async throws {
        // A store that cannot be read has nothing that is waited for.
        var hasRows = false
        for partition in store.partitions where !hasRows {
            let last = Position(rawValue: partition.rawValues.upperBound)
            hasRows = ((try? await store.row(before: last)) ?? nil) != nil
        }
        let engine = Engine(
            store: store, clock: clock, limits: limits, executors: executors, compiling: threads, observers: observers,
            logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: ([engine as any Service] + engine.runners).map { .init(service: $0) },
                gracefulShutdownSignals: [], logger: logger))
        self.engine = engine
        self.group = group
        // Awaited by `ended()`; it ends when the group is told to, or when the store fails.
        running = Task { try await group.run() }
        // Answered only by a writer that runs.
        _ = try await engine.apply(Self.definition, syntax: .yaml)
        if hasRows { try await settleMachines(threads) }
    }

    /// Waits until all items that were due at the start have come: the machines of its instances are compiled for them.
    private func settleMachines(_ threads: BackgroundThreads) async throws {
        for _ in 0..<3 {
            await withCheckedContinuation { (compiled: CheckedContinuation<Void, Never>) in
                threads.runFirst { compiled.resume() }
            }
            // Timers that are due come before a command.
            _ = try await engine.apply(Self.definition, syntax: .yaml)
        }
    }

    /// Tells the engine to stop, without waiting for it.
    func beginStop() async {
        await group.triggerGracefulShutdown()
    }

    /// Waits for the engine's end; throws its error.
    func ended() async throws {
        try await running.value
    }

    /// Stops the engine and waits for its end.
    func stop() async throws {
        await beginStop()
        try await ended()
    }

    /// Starts an instance of `lamp`.
    @discardableResult
    func start(_ name: String) async throws(Rejection) -> InstanceView {
        try await engine.start(StartCommand(machine: "lamp", instance: name))
    }

    /// Sends `flip`.
    func flip(_ name: String, expecting seq: Int64? = nil, data: JSONValue? = nil) async throws(Rejection) -> SendResult
    {
        try await engine.send(
            SendCommand(
                instance: name, event: Event(name: "flip", data: data), expectedSeq: seq.map(Seq.init(rawValue:))))
    }
}

/// A clock that the test sets.
final class HandClock: WallClock {
    private let time: Mutex<Int64>

    init(_ milliseconds: Int64 = 1_700_000_000_000) {
        time = Mutex(milliseconds)
    }

    func now() -> Timestamp { Timestamp(rawValue: time.withLock { $0 }) }

    func date(of time: Timestamp) -> Date? { nil }

    func advance(_ milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
    }
}

/// A folder for one test's store, removed when its last reference is gone.
final class StoreFolder: Sendable {
    let path: String

    /// - Parameter isInMemory: True to use memory if the system can: for tests of many files whose flushes do not
    ///   matter.
    init(isInMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            isInMemory && FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "wfd-engine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        // A file that cannot be removed does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Opens the store of the folder.
    func open() throws -> SQLiteFileStore {
        try SQLiteFileStore.open(at: path + "/wfd.db", clock: SystemClock().now())
    }
}

extension Rejection {
    /// The kind of the rejection, for comparing.
    var kind: String { "\(code)" }
}
