import Statechart
import WorkflowStore

/// Folds histories with the machines that they ran.
struct HistoryFolder: Sendable {
    let store: any StoreReader
    let library: MachineLibrary
    let limits: EngineLimits

    /// Folds from the nearest snapshot at or before `start` through `last`.
    @discardableResult
    func fold(
        of record: InstanceRecord, from start: Int64, through last: Int64,
        _ body: (JournalRecord, LoadedMachine, Macrostep) -> Void = { _, _, _ in }
    ) async throws(Rejection) -> Fold {
        var (fold, next) = try await begin(record, atOrBefore: start)
        while next <= last {
            let rows = try await rows(of: record, next...min(last, next + limits.foldedRows - 1))
            if rows.isEmpty { throw .inconsistent("the history has no row at seq \(next)") }
            for row in rows {
                let loaded = try await machine(row.machineID)
                if let macrostep = try await take(row, of: record, loaded, &fold) { body(row, loaded, macrostep) }
                next = row.seq.rawValue + 1
            }
        }
        return fold
    }

    /// Applies the next row of an instance. Returns `nil` if the row cannot be applied because of a redaction.
    func take(
        _ row: JournalRecord, of record: InstanceRecord, _ loaded: LoadedMachine, _ fold: inout Fold
    ) async throws(Rejection) -> Macrostep? {
        guard fold.passes(row) else {
            return try folding { () throws(FoldError) in
                try fold.apply(row, machine: loaded.machine, version: loaded.record.version)
            }
        }
        if row.kind == .redacted,
            let stored = try await Self.read({ () async throws(StoreError) in
                try await store.snapshot(of: record.id, atOrBefore: row.seq)
            }), stored.seq == row.seq
        {
            try folding { () throws(FoldError) in
                try fold.goOn(
                    after: stored, machine: loaded.machine, version: loaded.record.version, id: loaded.record.id)
            }
        }
        return nil
    }

    /// Returns a fold that has reached the last stored snapshot at or before a seq, and the seq of the next row.
    func begin(
        _ record: InstanceRecord, atOrBefore start: Int64
    ) async throws(Rejection) -> (Fold, next: Int64) {
        let stored = try await Self.read { () async throws(StoreError) in
            try await store.snapshot(of: record.id, atOrBefore: Seq(rawValue: start))
        }
        guard let stored else { return (Fold(of: record), 1) }
        let seq = stored.seq.rawValue
        guard let row = try await rows(of: record, seq...seq).first else {
            throw .inconsistent("the history has no row at seq \(seq)")
        }
        let loaded = try await machine(row.machineID)
        let fold = try folding { () throws(FoldError) in
            try Fold(
                of: record, after: stored, machine: loaded.machine, version: loaded.record.version,
                id: loaded.record.id)
        }
        return (fold, seq + 1)
    }

    /// Returns the machine version with an id.
    func machine(_ id: MachineID) async throws(Rejection) -> LoadedMachine {
        if let loaded = library.machine(id) { return loaded }
        guard let record = try await Self.read({ () async throws(StoreError) in try await store.machine(id) }) else {
            throw .inconsistent("machine \(id.rawValue) is not in the store")
        }
        return try await library.compiled(record)
    }

    private func rows(of record: InstanceRecord, _ seqs: ClosedRange<Int64>) async throws(Rejection) -> [JournalRecord]
    {
        try await Self.read { () async throws(StoreError) in
            try await store.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: seqs, isReversed: false))
        }
    }

    private func folding<Value>(_ body: () throws(FoldError) -> Value) throws(Rejection) -> Value {
        do throws(FoldError) {
            return try body()
        } catch {
            throw .inconsistent("the history does not fold at \(error)")
        }
    }

    /// Reads the store; an error becomes a rejection.
    static func read<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(Rejection) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw Rejection(error)
        }
    }
}
