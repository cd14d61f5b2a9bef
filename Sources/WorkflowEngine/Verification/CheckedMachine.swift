import Statechart
import WorkflowStore

/// A machine version, as far as it can be used to check a history.
final class CheckedMachine: Sendable {
    /// As the store says, which the journal's digests cover.
    let chain: ChainMachine
    /// Nil when the source is not what was applied, cannot be read, or follows rules that this engine does not know.
    let loaded: LoadedMachine?

    init(record: MachineRecord) {
        chain = ChainMachine(record)
        // Why it cannot be used is told where the machines are checked.
        loaded = Semantics(rawValue: record.semantics).flatMap { semantics in
            guard Digest(of: record.source.utf8) == record.digest else { return nil }
            let reading = try? DefinitionReader.read(stored: record.source, semantics: semantics)
            return reading.map { LoadedMachine(record: record, machine: $0.machine) }
        }
    }
}

/// The machine versions of a store, read when a row asks for them and kept up to a bound.
struct CheckedMachines {
    private let store: any StoreReader
    private let bound: Int
    private var machines: [MachineID: CheckedMachine?] = [:]
    private var bytes = 0
    /// The one asked for last: rows of the same machine often stand together.
    private var recent: (id: MachineID, machine: CheckedMachine)?

    init(store: any StoreReader, limits: EngineLimits) {
        self.store = store
        bound = limits.cachedMachineBytes
    }

    /// Reads what the rows need and is not there yet.
    mutating func prepare(for rows: [JournalRecord]) async throws(StoreError) {
        if bytes > bound {
            machines.removeAll()
            recent = nil
            bytes = 0
        }
        var last: MachineID?
        for row in rows where row.machineID != last {
            last = row.machineID
            if machines[row.machineID] != nil { continue }
            let record = try await readable(row.machineID)
            machines[row.machineID] = .some(record.map(CheckedMachine.init(record:)))
            bytes += 256 + (record?.source.utf8.count ?? 0)
        }
    }

    /// A row that cannot be read was told already.
    private func readable(_ id: MachineID) async throws(StoreError) -> MachineRecord? {
        do throws(StoreError) {
            return try await store.machine(id)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// The version of a row that was prepared; nil when the store has none.
    mutating func machine(_ id: MachineID) -> CheckedMachine? {
        if let recent, recent.id == id { return recent.machine }
        guard let found = machines[id], let machine = found else { return nil }
        recent = (id, machine)
        return machine
    }

    /// What is wrong with a version; nil when nothing is.
    static func mistake(in record: MachineRecord, isSealed: Bool) -> String? {
        let place = "machine '\(record.name)', version \(record.version)"
        if Digest(of: record.source.utf8) != record.digest { return "\(place): the source is not what was applied" }
        if !isSealed { return "\(place): its row is not what was written" }
        if Semantics(rawValue: record.semantics) == nil { return nil }
        return CheckedMachine(record: record).loaded == nil ? "\(place): the source cannot be read any more" : nil
    }
}
