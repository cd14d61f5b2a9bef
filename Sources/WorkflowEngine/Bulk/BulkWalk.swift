import WorkflowStore

/// Reads the instances of a bulk run or of its rehearsal, as they are on disk, in the order of their turns. The
/// instances may change meanwhile.
struct BulkWalk: Sendable {
    /// The names of a request that names its instances.
    enum Names: Sendable {
        case given([InstanceName])
        /// The names that a run has stored.
        case stored(BulkKey)
    }

    /// An instance on the way.
    struct Met: Sendable {
        let instance: InstanceName
        /// The run's mark after this instance's turn.
        let mark: BulkMark
        /// The instance as it is on disk; `nil` if no instance has the name.
        let record: InstanceRecord?
    }

    let turns: BulkTurns
    let names: Names
    /// The partition of the instances; `nil` for all. Stored names are of one partition.
    let partition: PartitionID?
    /// The mark up to which instances were read; `nil` if there are no more.
    var next: BulkMark? = .start
    /// The work for the condition of the selection so far.
    private(set) var examination = InstanceExamination()

    init(turns: BulkTurns, names: Names, in partition: PartitionID? = nil, next: BulkMark? = .start) {
        self.turns = turns
        self.names = names
        self.partition = partition
        self.next = next
    }

    /// Returns the next instances, possibly none.
    mutating func slice(in engine: Engine) async throws(Rejection) -> [Met] {
        guard let mark = next else { return [] }
        guard let filter = turns.filter else {
            let names = try await names(from: mark.number, in: engine)
            let met = try await met(names, from: mark.number, in: engine)
            next = met.last?.mark
            return met
        }
        let query = SelectionQuery(
            filter, in: partition, below: turns.request.instances, after: mark, limit: engine.limits.selectedPage)
        let slice = try await engine.read { () async throws(StoreError) in
            try await engine.store.selection(query, in: turns.namespace)
        }
        next = slice.next
        examination.add(slice.examination)
        return slice.instances.map { record in
            Met(
                instance: record.name,
                mark: BulkMark(machine: record.machineID.rawValue, number: record.id.rawValue), record: record)
        }
    }

    private func names(from number: Int64, in engine: Engine) async throws(Rejection) -> [InstanceName] {
        switch names {
        case .given(let names):
            return Array(names.dropFirst(max(0, Int(clamping: number))).prefix(engine.limits.selectedPage))
        case .stored(let run):
            return try await engine.read { () async throws(StoreError) in
                try await engine.store.bulkNames(of: run, from: number)
            }
        }
    }

    private func met(
        _ names: [InstanceName], from number: Int64, in engine: Engine
    ) async throws(Rejection) -> [Met] {
        let namespace = turns.namespace
        return try await engine.read { () async throws(StoreError) in
            try await engine.store.look { (lookup) throws(StoreError) in
                var met: [Met] = []
                for name in names {
                    let mark = BulkMark(machine: 0, number: number + Int64(met.count) + 1)
                    let record = try lookup.instance(InstanceKey(name, in: namespace))
                    met.append(Met(instance: name, mark: mark, record: record))
                }
                return met
            }
        }
    }
}

/// An instance of a bulk run, ready for its turn.
struct BulkTarget: Sendable {
    let instance: InstanceName
    /// The instance's id; `nil` if no instance had the name.
    let id: InstanceID?
    /// The run's mark after this instance's turn.
    let mark: BulkMark
    var preparation = BulkPreparation.missing
    /// The instance's stays in other versions; `nil` if it has not left its version since the run began.
    var crossing: BulkCrossing?

    init(_ met: BulkWalk.Met) {
        instance = met.instance
        id = met.record?.id
        mark = met.mark
    }

    /// The approximate number of bytes of the preparation.
    var size: Int { preparation.size + 32 * (crossing?.stays.count ?? 0) }
}

extension Engine {
    /// Calls a function with all instances of a walk, slice by slice. If the request is only for instances that their
    /// machine suspended, all others are left out. Returns the work for the condition of the selection.
    @discardableResult
    func forEachSelected(
        _ walk: BulkWalk, _ body: ([BulkWalk.Met]) async throws -> Void
    ) async throws -> InstanceExamination {
        var walk = walk
        while walk.next != nil {
            try Task.checkCancellation()
            var met = try await walk.slice(in: self)
            if walk.turns.request.isForSuspendedByMachine {
                let ids = Set(try await suspendedByMachine(met.compactMap(\.record)).map(\.id))
                met = met.filter { $0.record.map { ids.contains($0.id) } ?? false }
            }
            try await body(met)
        }
        return walk.examination
    }

    /// Prepares an instance for its turn.
    func prepare(_ record: InstanceRecord, for order: BulkOrder, _ action: BulkAction) async throws(Rejection)
        -> BulkPreparation
    {
        do throws(Rejection) {
            return try await action.verb.prepare(record, for: order, in: self)
        } catch {
            if error.code.isOfDaemon { throw error }
            return .rejected(error)
        }
    }

    /// Returns the instances that a run names.
    func names(of run: BulkKey, _ count: Int) async throws(Rejection) -> [InstanceName] {
        var names: [InstanceName] = []
        for partition in store.partitions {
            names += try await self.names(in: run.with(partition: partition), atMost: count - names.count)
        }
        if names.count < count { throw .inconsistent("the run '\(run.name)' has lost names") }
        return names
    }

    /// Returns the instances that a run names in one partition, and some more than `count` at most.
    func names(in part: BulkKey, atMost count: Int) async throws(Rejection) -> [InstanceName] {
        var names: [InstanceName] = []
        while names.count < count {
            let begin = Int64(names.count)
            let more = try await read { () async throws(StoreError) in try await store.bulkNames(of: part, from: begin)
            }
            if more.isEmpty { break }
            names += more
        }
        return names
    }
}
