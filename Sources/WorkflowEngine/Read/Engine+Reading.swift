import Statechart
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// Returns the latest version of a machine, or the given version.
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

    /// Returns the latest versions of the caller's machines behind a name, in the order of names.
    package func machines(
        after name: MachineName?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [MachineRecord] {
        try await read { () async throws(StoreError) in
            try await store.machines(in: caller.namespace, after: name, limit: limit)
        }
    }

    /// Returns an instance as it is on disk.
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

    /// Rejects an instance of another namespace, as if it did not exist.
    func refuse(_ record: InstanceRecord, to caller: Caller) throws(Rejection) {
        guard record.namespace == caller.namespace else { throw .instanceNotFound(record.name) }
    }

    /// Returns the row of an instance's history at a position; `nil` if it has none there.
    package func row(
        at position: Position, of record: InstanceRecord, by caller: Caller
    ) async throws(Rejection) -> JournalRecord? {
        try refuse(record, to: caller)
        let row = try await read { () async throws(StoreError) in try await store.row(at: position) }
        return row?.instanceID == record.id ? row : nil
    }

    /// Returns a page of instances.
    package func instances(
        _ query: InstanceQuery, by caller: Caller
    ) async throws(Rejection) -> (
        views: [InstanceView], next: InstanceListPosition?, examination: InstanceExamination
    ) {
        let page = try await read { () async throws(StoreError) in
            try await store.instances(query, in: caller.namespace)
        }
        var views: [InstanceView] = []
        for record in page.instances {
            views.append(try await view(of: record))
        }
        return (views, page.next, page.examination)
    }

    /// Returns for each event of the machine whether the instance would accept it now. Changes nothing.
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

    /// Returns the tags of an instance's active states; `nil` if no state of the machine has tags.
    package func tags(of view: InstanceView, by caller: Caller) async throws(Rejection) -> [String]? {
        try refuse(view.record, to: caller)
        let loaded = try await loadedMachine(view.record.machineID)
        guard loaded.machine.hasTags else { return nil }
        return loaded.machine.tags(of: try view.record.snapshot(of: loaded).configuration)
    }

    /// Returns a page of an instance's history.
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

    /// Returns names of instances near a name in byte order, for suggestions.
    package func instanceNames(
        near name: InstanceName, by caller: Caller
    ) async throws(Rejection) -> [InstanceName] {
        try await read { () async throws(StoreError) in
            let key = InstanceKey(name, in: caller.namespace)
            return try await store.instanceNames(near: key, limit: limits.suggestedInstances)
        }
    }

    /// Returns the latest names of machines, for suggestions.
    package func machineNames(by caller: Caller) async throws(Rejection) -> [MachineName] {
        try await read { () async throws(StoreError) in
            try await store.machineNames(in: caller.namespace, limit: limits.suggestedMachines)
        }
    }

    /// The generation of the store, which each restore increments.
    package var generation: Int64 { store.identity.generation }

    /// The identifier of the store.
    package var storeID: UniqueID { store.identity.uuid }

    /// Returns the positions up to which an earlier generation and this one have the same history, in the order of
    /// partitions.
    ///
    /// - Parameter name: The instance whose partition is asked for; `nil` for all partitions.
    package func partings(from generation: Int64, instance name: InstanceName?, by caller: Caller) -> [Position] {
        let own = name.map { [partition(of: $0, by: caller)] }
        return (own ?? store.partitions).map { store.lineage.parting(from: generation, in: $0) }
    }

    /// Returns the partition of an instance.
    package func partition(of name: InstanceName, by caller: Caller) -> PartitionID {
        placement.partition(of: InstanceKey(name, in: caller.namespace))
    }

    /// Returns the states that the rows of a page exited and entered, in the order of the rows. They are found by
    /// folding from the nearest snapshot.
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

    /// Returns an instance as it was after a macrostep, by folding its history from the nearest snapshot.
    func fold(of record: InstanceRecord, through seq: Int64) async throws(Rejection) -> Fold {
        try await folder.fold(of: record, from: seq, through: seq)
    }

    /// Repeats the macrosteps of an instance, from the nearest snapshot at or before `start` through `last`.
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

    /// Returns the last row before a position in its partition, and the seq that an instance had then. Each is `nil` if
    /// there is none.
    package func place(
        before position: Position, instance name: InstanceName?, by caller: Caller
    ) async throws(Rejection) -> (row: JournalRecord?, seq: Seq?) {
        let found = try await read { () async throws(StoreError) in try await store.row(before: position) }
        guard let row = found, row.position.partition == position.partition else { return (nil, nil) }
        guard let name,
            let record = try await read({ () async throws(StoreError) in
                try await store.instance(InstanceKey(name, in: caller.namespace))
            })
        else { return (row, nil) }
        return (row, try await seq(of: record, upTo: row.position, by: caller))
    }

    /// Returns the seq of an instance's last row at or before a position; `nil` if the instance began later.
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

    /// Returns the machine version with an id.
    package func loadedMachine(_ id: MachineID) async throws(Rejection) -> LoadedMachine {
        try await folder.machine(id)
    }

    func read<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(Rejection) -> Value {
        try await HistoryFolder.read(body)
    }
}

/// The states that one macrostep exited and entered, as paths, in order.
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
    /// Returns the instance with the head from which a page of its history was read.
    fileprivate func asOf(_ query: HistoryQuery) -> InstanceRecord {
        var record = self
        (record.head, record.seq) = (query.head, query.headSeq)
        return record
    }
}
