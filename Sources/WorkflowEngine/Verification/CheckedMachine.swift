import Statechart
import WorkflowStore

/// A machine version, as far as a verification can use it.
final class CheckedMachine: Sendable {
    /// The version as the store has it, which the journal's digests cover.
    let chain: ChainMachine
    /// The compiled version; `nil` if the source is not what was applied, cannot be read, or follows rules that this
    /// engine does not know.
    let loaded: LoadedMachine?

    init(record: MachineRecord) {
        chain = ChainMachine(record)
        // The check of the machines reports the reason.
        loaded = Semantics(rawValue: record.semantics).flatMap { semantics in
            guard Digest(of: record.source.utf8) == record.digest else { return nil }
            let reading = try? DefinitionReader.read(stored: record.source, semantics: semantics)
            return reading.map { LoadedMachine(record: record, machine: $0.machine) }
        }
    }
}

/// The machine versions of a store, read when a row needs them and kept up to a bound.
struct CheckedMachines {
    private let store: any StoreReader
    private let bound: Int
    private var machines: [MachineID: CheckedMachine?] = [:]
    private var bytes = 0
    /// The version that was used last: rows of the same machine are often adjacent.
    private var recent: (id: MachineID, machine: CheckedMachine)?

    init(store: any StoreReader, limits: EngineLimits) {
        self.store = store
        bound = limits.cachedMachineBytes
    }

    /// Reads the versions that the rows need and that are not loaded yet.
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

    /// Returns a version; `nil` if its row cannot be read, which was reported already.
    private func readable(_ id: MachineID) async throws(StoreError) -> MachineRecord? {
        do throws(StoreError) {
            return try await store.machine(id)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// Returns the version of a prepared row; `nil` if the store has none.
    mutating func machine(_ id: MachineID) -> CheckedMachine? {
        if let recent, recent.id == id { return recent.machine }
        guard let found = machines[id], let machine = found else { return nil }
        recent = (id, machine)
        return machine
    }

    /// Returns the defect of a version; `nil` if there is none.
    static func mistake(in record: MachineRecord, isSealed: Bool) -> String? {
        let place = "machine '\(record.name)', version \(record.version)"
        if Digest(of: record.source.utf8) != record.digest { return "\(place): the source is not what was applied" }
        if !isSealed { return "\(place): its row is not what was written" }
        if Semantics(rawValue: record.semantics) == nil { return nil }
        return CheckedMachine(record: record).loaded == nil ? "\(place): the source cannot be read any more" : nil
    }
}
