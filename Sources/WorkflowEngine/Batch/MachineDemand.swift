import Synchronization
import WorkflowStore

/// Gives batches the machine versions that are compiled, and has the others compiled elsewhere: the writer's thread
/// compiles none. For the lane's thread.
///
/// A command that needs a version which is not compiled yet is rejected with `Rejection.wait`. It is applied again when
/// the version is there.
final class MachineDemand {
    private let library: MachineLibrary
    private let queue: CommandQueue
    private let bound: Int
    /// Versions that are being compiled.
    private var underWay: Set<MachineID> = []
    /// Versions that could not be compiled, and why.
    private var failures: [MachineID: Rejection] = [:]
    private let finished = FinishedMachines()
    /// True: a version that was needed was not there. For those who ask to set it back.
    var hasMissed = false
    /// True: a version is compiled where it is needed.
    var isImmediate = false

    init(_ library: MachineLibrary, waking queue: CommandQueue, limits: EngineLimits) {
        self.library = library
        self.queue = queue
        bound = limits.unreadableMachines
    }

    /// The version of a stored row. Throws a rejection with `wait` while it is compiled.
    func machine(of record: MachineRecord) throws(Rejection) -> LoadedMachine {
        if let loaded = library.machine(record.id) { return loaded }
        if let failure = failures[record.id] { throw failure }
        if isImmediate { return try library.machine(of: record) }
        hasMissed = true
        if underWay.insert(record.id).inserted { compile(record) }
        throw Rejection(waiting: .compiling(record.id))
    }

    /// Versions that were compiled since the last call, or that cannot be compiled.
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
        // The queue does not end before what waits for it is carried out; the lane that takes from it runs.
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

/// Machine versions whose compiling has ended. Passes from the thread that compiles to the lane's.
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
    /// Versions that cannot be compiled and are remembered.
    fileprivate var unreadableMachines: Int { 1_000 }
}
