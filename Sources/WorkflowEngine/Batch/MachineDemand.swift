import Synchronization
import WorkflowStore

/// Gives compiled machine versions to batches, and has the others compiled on another thread, never on the writer's.
/// Used by the lane's thread only.
///
/// A command that needs a version which is not compiled yet is rejected with `Rejection.wait`. The command is applied
/// again when the version is there.
final class MachineDemand {
    private let library: MachineLibrary
    private let queue: any ResultQueue
    private let bound: Int
    /// The versions that are being compiled.
    private var underWay: Set<MachineID> = []
    /// The versions that could not be compiled, with the reason.
    private var failures: [MachineID: Rejection] = [:]
    private let finished = FinishedMachines()
    /// True after a version was needed that was not compiled. The applier sets it to false before each command.
    var hasMissed = false
    /// True to compile a version at once, on the thread that needs it.
    var isImmediate = false

    init(_ library: MachineLibrary, waking queue: any ResultQueue, limits: EngineLimits) {
        self.library = library
        self.queue = queue
        bound = limits.unreadableMachines
    }

    /// Returns the version of a stored row. Throws a rejection with `wait` while the version is being compiled.
    func machine(of record: MachineRecord) throws(Rejection) -> LoadedMachine {
        if let loaded = library.machine(record.id) { return loaded }
        if let failure = failures[record.id] { throw failure }
        if isImmediate { return try library.machine(of: record) }
        hasMissed = true
        if underWay.insert(record.id).inserted { compile(record) }
        throw Rejection(waiting: .compiling(record.id))
    }

    /// Throws a rejection with `wait` while anything waits for a version, even if the version is compiled by now.
    /// Otherwise a timer that is due later would overtake a timer that waits.
    func waitBehindOthers(for machine: MachineID) throws(Rejection) {
        if underWay.contains(machine) { throw Rejection(waiting: .compiling(machine)) }
    }

    /// Returns the versions whose compilation has ended since the last call, including versions that cannot be
    /// compiled.
    func takeFinished() -> Set<MachineID> {
        if underWay.isEmpty { return [] }
        var ids: Set<MachineID> = []
        for (id, failure) in finished.takeAll() {
            if failures.count >= bound { failures = [:] }
            failures[id] = failure
            underWay.remove(id)
            ids.insert(id)
            queue.resultCame()
        }
        return ids
    }

    private func compile(_ record: MachineRecord) {
        // The queue ends only after all waiting commands were carried out, so the lane still runs.
        _ = queue.expectResult()
        library.compile(record) { [finished, queue] result in
            switch result {
            case .success: finished.add(record.id, nil)
            case .failure(let rejection): finished.add(record.id, rejection)
            }
            queue.wake()
        }
    }
}

/// The machine versions whose compilation has ended. The compiling thread adds them, and the lane's thread takes them.
private final class FinishedMachines: Sendable {
    private let machines = Mutex<[(id: MachineID, failure: Rejection?)]>([])

    func add(_ id: MachineID, _ failure: Rejection?) { machines.withLock { $0.append((id, failure)) } }

    func takeAll() -> [(id: MachineID, failure: Rejection?)] {
        machines.withLock { machines in
            defer { machines = [] }
            return machines
        }
    }
}

extension EngineLimits {
    /// The number of versions that are remembered because they cannot be compiled.
    fileprivate var unreadableMachines: Int { 1_000 }
}

/// A queue whose reader waits for results of other threads.
protocol ResultQueue: Sendable {
    /// Announces a result; the queue does not end before the result comes. Returns false if the queue has ended.
    func expectResult() -> Bool
    /// Records that an announced result was taken.
    func resultCame()
    func wake()
}
