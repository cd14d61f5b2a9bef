package import Statechart
import Synchronization
package import WorkflowStore
import WorkflowThreads

/// A machine version, ready to run.
package final class LoadedMachine: Sendable {
    package let record: MachineRecord
    package let machine: Machine
    /// The part of the version that the digests of rows cover.
    let chain: ChainMachine

    init(record: MachineRecord, machine: Machine) {
        self.record = record
        self.machine = machine
        chain = ChainMachine(record)
    }
}

/// The machine versions in use, each compiled once, and the settings of machines.
final class MachineLibrary: Sendable {
    let board = MachineBoard()
    private let migrations = PreparedMigrations()
    /// The threads that compile stored versions that are not in use yet.
    private let threads: BackgroundThreads
    private let cache: Mutex<GenerationCache<MachineID, LoadedMachine>>
    /// The row numbers of versions that were in use; the number of a version never changes.
    private let ids = Mutex<[VersionKey: MachineID]>([:])

    private struct VersionKey: Hashable {
        let machine: MachineKey
        let version: MachineVersion

        /// The number of versions that are remembered.
        static let bound = 1_000
    }

    init(limits: EngineLimits, compiling threads: BackgroundThreads = .compiling) {
        self.threads = threads
        cache = Mutex(GenerationCache(bound: limits.cachedMachineBytes))
    }

    /// Returns a version that is already compiled; `nil` if it is not.
    func machine(_ id: MachineID) -> LoadedMachine? {
        cache.withLock { $0.value(for: id) { $0.record.source.utf8.count } }
    }

    /// Returns a version by its name and number; `nil` if it is not compiled.
    func machine(_ key: MachineKey, version: MachineVersion) -> LoadedMachine? {
        ids.withLock { $0[VersionKey(machine: key, version: version)] }.flatMap(machine)
    }

    /// Returns the version of a stored row; compiles it on another thread first, if need be.
    func compiled(_ record: MachineRecord) async throws(Rejection) -> LoadedMachine {
        if let loaded = machine(record.id) { return loaded }
        return try await withCheckedContinuation { continuation in
            compile(record) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Compiles the version of a stored row on another thread.
    ///
    /// - Parameter compiled: Called once, on the thread that compiles.
    func compile(
        _ record: MachineRecord, _ compiled: @escaping @Sendable (Result<LoadedMachine, Rejection>) -> Void
    ) {
        threads.runFirst { [self] in compiled(Result { () throws(Rejection) in try machine(of: record) }) }
    }

    /// Returns the version of a stored row; compiles it on the calling thread first, if need be.
    func machine(of record: MachineRecord) throws(Rejection) -> LoadedMachine {
        if let loaded = machine(record.id) { return loaded }
        guard Digest(of: record.source.utf8) == record.digest else {
            throw Rejection(
                .damaged,
                "Version \(record.version) of machine '\(record.name)' is damaged: its source is not what was applied; "
                    + "restore a backup")
        }
        guard let semantics = Semantics(rawValue: record.semantics) else {
            throw Rejection(
                .damaged,
                "Version \(record.version) of machine '\(record.name)' has semantics \(record.semantics), which this "
                    + "wfd does not know; run a newer wfd, or restore a backup")
        }
        do throws(DefinitionError) {
            let reading = try DefinitionReader.read(stored: record.source, semantics: semantics)
            return keep(LoadedMachine(record: record, machine: reading.machine))
        } catch {
            let reason = error.diagnostics.first.map(\.description) ?? "no reason"
            throw .fault("Version \(record.version) of machine '\(record.name)' cannot be read: \(reason)")
        }
    }

    @discardableResult
    func keep(_ loaded: LoadedMachine) -> LoadedMachine {
        ids.withLock { ids in
            if ids.count >= VersionKey.bound { ids = [:] }
            ids[VersionKey(machine: loaded.record.key, version: loaded.record.version)] = loaded.record.id
        }
        cache.withLock { cache in
            cache.insert(loaded, for: loaded.record.id, cost: loaded.record.source.utf8.count)
            cache.trim()
        }
        return loaded
    }
}

extension MachineLibrary {
    /// Returns a plan, checked against two versions of a machine. Thousands of instances follow the same plan in
    /// sequence.
    func migration(
        _ plan: MigrationPlan, from old: LoadedMachine, to new: LoadedMachine
    ) throws(Rejection) -> Migration {
        do throws(MigrationMistake) {
            return try migrations.migration(
                plan, from: EarlierMachine(old.machine, version: old.record.version.rawValue), old.record.id,
                to: EarlierMachine(new.machine, version: new.record.version.rawValue), new.record.id)
        } catch {
            throw .invalidData(error.message)
        }
    }
}
