import Statechart
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// The latest version of a machine, or the named one.
    package func machine(
        named name: MachineName, version: MachineVersion? = nil, by caller: Caller
    ) async throws(Rejection) -> MachineRecord {
        let key = MachineKey(name, in: caller.namespace)
        if let record = try await read({ () async throws(StoreError) in
            try await store.machine(key, version: version)
        }) {
            return record
        }
        let latest =
            version == nil
            ? nil : try await read { () async throws(StoreError) in try await store.machine(key, version: nil) }
        throw .machineNotFound(name: name, version: version, latest: latest?.version)
    }

    /// The latest versions of all machines that the caller sees, by name, after a name.
    package func machines(
        after name: MachineName?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [MachineRecord] {
        try await read { () async throws(StoreError) in
            try await store.machines(in: caller.namespace, after: name, limit: limit)
        }
    }

    /// An instance as it is on disk.
    package func instance(named name: InstanceName, by caller: Caller) async throws(Rejection) -> InstanceView {
        let key = InstanceKey(name, in: caller.namespace)
        guard
            let record = try await read({ () async throws(StoreError) in try await store.instance(key) })
        else { throw .instanceNotFound(name) }
        return try await view(of: record)
    }

    func view(of record: InstanceRecord) async throws(Rejection) -> InstanceView {
        let loaded = try await loadedMachine(record.machineID)
        let failure = record.status == .failed ? record.failure(of: loaded, try record.snapshot(of: loaded)) : nil
        return InstanceView(record: record, machine: loaded.record, failure: failure)
    }

    /// Refuses what is not the caller's to see: an instance of another namespace is not there for it.
    func refuse(_ record: InstanceRecord, to caller: Caller) throws(Rejection) {
        guard record.namespace == caller.namespace else { throw .instanceNotFound(record.name) }
    }

    /// A row of an instance's history; nil when it has none at this position.
    package func row(
        at position: Position, of record: InstanceRecord, by caller: Caller
    ) async throws(Rejection) -> JournalRecord? {
        try refuse(record, to: caller)
        let row = try await read { () async throws(StoreError) in try await store.row(at: position) }
        return row?.instanceID == record.id ? row : nil
    }

    /// A page of instances.
    package func instances(
        _ query: InstanceQuery, by caller: Caller
    ) async throws(Rejection) -> (views: [InstanceView], next: InstanceListPosition?) {
        let page = try await read { () async throws(StoreError) in
            try await store.instances(query, in: caller.namespace)
        }
        var views: [InstanceView] = []
        for record in page.instances {
            views.append(try await view(of: record))
        }
        return (views, page.next)
    }

    /// What the instance would say now to each event of its machine; asking changes nothing.
    package func acceptance(
        of name: InstanceName, by caller: Caller
    ) async throws(Rejection) -> (
        events: [(descriptor: String, isAccepted: Bool?)], tags: [String]?, view: InstanceView
    ) {
        let view = try await instance(named: name, by: caller)
        let record = view.record
        let instance = try InstanceState(record: record, loaded: try await loadedMachine(record.machineID))
        let events = instance.machine.acceptance(
            in: instance.snapshot, as: instance.identity, at: LogicalTime(record.updated))
        return (events, instance.tags, view)
    }

    /// The tags of an instance's active states; nil when no state of the machine has any.
    package func tags(of view: InstanceView, by caller: Caller) async throws(Rejection) -> [String]? {
        try refuse(view.record, to: caller)
        let loaded = try await loadedMachine(view.record.machineID)
        guard loaded.machine.hasTags else { return nil }
        return loaded.machine.tags(of: try view.record.snapshot(of: loaded).configuration)
    }

    /// A page of an instance's history.
    package func history(
        _ query: HistoryQuery, of record: InstanceRecord, by caller: Caller
    ) async throws(Rejection) -> [JournalRecord] {
        try refuse(record, to: caller)
        // Proof: each caller makes the query of the record that it gives.
        precondition(query.instance == record.id, "the query is about the instance")
        return try await history(query)
    }

    func history(_ query: HistoryQuery) async throws(Rejection) -> [JournalRecord] {
        try await read { () async throws(StoreError) in try await store.history(query) }
    }

    /// Tells of each commit that changes an instance, from now on; nil when too many wait already.
    package func changes(of record: InstanceRecord, by caller: Caller) throws(Rejection) -> AsyncStream<Void>? {
        try refuse(record, to: caller)
        return feed.changes(of: record.id)
    }

    /// Names of instances that stand near a name in the order of bytes, for suggestions.
    package func instanceNames(
        near name: InstanceName, by caller: Caller
    ) async throws(Rejection) -> [InstanceName] {
        try await read { () async throws(StoreError) in
            let key = InstanceKey(name, in: caller.namespace)
            return try await store.instanceNames(near: key, limit: limits.suggestedInstances)
        }
    }

    /// The latest names of machines, for suggestions.
    package func machineNames(by caller: Caller) async throws(Rejection) -> [MachineName] {
        try await read { () async throws(StoreError) in
            try await store.machineNames(in: caller.namespace, limit: limits.suggestedMachines)
        }
    }

    /// The generation of the store, raised by each restore.
    package var generation: Int64 { store.identity.generation }

    /// The position up to which an earlier generation and this one have the same history.
    package func parting(from generation: Int64) -> Position { store.lineage.parting(from: generation) }

    /// The states that the rows of a page exited and entered, found by folding from the nearest snapshot; in the order
    /// of the rows.
    package func moves(
        of rows: [JournalRecord], in record: InstanceRecord, query: HistoryQuery, by caller: Caller
    ) async throws(Rejection) -> [StateMoves] {
        try refuse(record, to: caller)
        guard let first = rows.map(\.seq).min(), let last = rows.map(\.seq).max() else { return [] }
        var moves: [Seq: StateMoves] = [:]
        try await folder.fold(of: record.asOf(query), from: first.rawValue - 1, through: last.rawValue) {
            row, loaded, macrostep in
            if row.seq >= first { moves[row.seq] = StateMoves(macrostep, of: loaded.machine) }
        }
        return rows.map { moves[$0.seq] ?? StateMoves(exited: [], entered: []) }
    }

    /// An instance as it was after a macrostep: its history folded from the nearest snapshot.
    func fold(of record: InstanceRecord, through seq: Int64) async throws(Rejection) -> Fold {
        try await folder.fold(of: record, from: seq, through: seq)
    }

    /// Takes the macrosteps of an instance again, from the nearest snapshot at or before a seq through another.
    func fold(
        of record: InstanceRecord, from start: Int64, through last: Int64,
        _ body: (JournalRecord, LoadedMachine, Macrostep) -> Void
    ) async throws(Rejection) {
        try await folder.fold(of: record, from: start, through: last, body)
    }

    var folder: HistoryFolder { HistoryFolder(store: store, library: library, limits: limits) }

    func folding<Value>(_ body: () throws(FoldError) -> Value) throws(Rejection) -> Value {
        do throws(FoldError) {
            return try body()
        } catch {
            throw .inconsistent("the history does not fold at \(error)")
        }
    }

    /// The last row before a position in its partition, and the seq that an instance had then; nil where there is none.
    package func place(
        before position: Position, instance name: InstanceName?, by caller: Caller
    ) async throws(Rejection) -> (row: JournalRecord?, seq: Seq?) {
        let row = try await read { () async throws(StoreError) in try await store.row(before: position) }
        guard let name, let row,
            let record = try await read({ () async throws(StoreError) in
                try await store.instance(InstanceKey(name, in: caller.namespace))
            })
        else { return (row, nil) }
        return (row, try await seq(of: record, upTo: row.position, by: caller))
    }

    /// The seq of an instance's last row at or before a position; nil when it began later.
    package func seq(
        of record: InstanceRecord, upTo position: Position, by caller: Caller
    ) async throws(Rejection) -> Seq? {
        try refuse(record, to: caller)
        return try await read { () async throws(StoreError) in
            try await store.seq(
                of: record.id, head: record.head, headSeq: record.seq,
                before: position.next)
        }
    }

    /// The machine version of a row number.
    package func loadedMachine(_ id: MachineID) async throws(Rejection) -> LoadedMachine {
        try await folder.machine(id)
    }

    func read<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(Rejection) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw Rejection(error)
        }
    }
}

/// The states that one macrostep left and entered, as paths, in order.
package struct StateMoves: Sendable, Equatable {
    package let exited: [String]
    package let entered: [String]
}

extension StateMoves {
    init(_ macrostep: Macrostep, of machine: Machine) {
        self.init(exited: machine.paths(of: macrostep.exited), entered: machine.paths(of: macrostep.entered))
    }
}

extension InstanceRecord {
    /// With the head that a page of its history was read from.
    fileprivate func asOf(_ query: HistoryQuery) -> InstanceRecord {
        var record = self
        (record.head, record.seq) = (query.head, query.headSeq)
        return record
    }
}
