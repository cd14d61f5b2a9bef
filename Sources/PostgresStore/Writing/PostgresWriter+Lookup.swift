package import WorkflowStore

extension PostgresWriter {
    /// Returns the named version of a machine, or the highest version if `version` is `nil`; `nil` if there is none.
    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try first(MachineRecord.byVersion) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
            $0.add(version?.rawValue)
        }
    }

    /// Returns a machine version by its row number, or `nil` if there is none.
    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        try first(MachineRecord.byID) { $0.add(id.rawValue) }
    }

    /// Returns an instance with its current state, or `nil` if there is none.
    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        try first(InstanceRecord.byName) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
        }
    }

    /// Returns the instances that exist among `ids`, in the order of `ids`, with one read.
    package func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord] {
        try all(InstanceRecord.byIDs) { parameters in
            var array = ArrayColumn(.int8)
            for id in ids { array.append(id.rawValue) }
            parameters.add(array)
        }
    }

    /// Returns the position at which a key was used, or `nil` if the store does not remember the key.
    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        let found: KeyRecord? = try first(KeyRecord.byKey) {
            $0.add(key.bytes)
            $0.add(scope.rawValue)
        }
        return found?.position
    }

    /// Returns a journal row, or `nil` if there is none.
    package func row(at position: Position) throws(StoreError) -> JournalRecord? {
        try first(JournalRecord.byPosition) { $0.add(position.rawValue) }
    }

    /// Returns the last snapshot of an instance at or before a seq, or `nil` if there is none that early.
    package func snapshot(of instance: InstanceID, atOrBefore seq: Seq) throws(StoreError) -> SnapshotRecord? {
        try first(SnapshotRecord.atOrBefore) {
            $0.add(instance.rawValue)
            $0.add(seq.rawValue)
        }
    }

    /// Returns the timers of a partition that are due next, in order; at most `limit`.
    package func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        let floor = log.rows[partition]?.timerFloor ?? Timestamp(rawValue: 0)
        let timers: [TimerRecord] = try all(TimerRecord.first) {
            $0.add(partition.rawValue)
            $0.add(floor.rawValue)
            $0.add(Int64(limit))
        }
        if let first = timers.first { log.raiseTimerFloor(of: partition, to: first.key.due) }
        return timers
    }

    /// Returns the counts of instances that are not 0, ordered by version, status and configuration.
    package func tally() throws(StoreError) -> [(key: TallyKey, count: Int64)] {
        try read(TallyTable.sums) { answer in
            try answer.all { row in try TallyTable.count(&row) }
        }
    }

    /// Returns an effect by its id, or `nil` if there is none, for example after its end.
    package func effect(_ id: Position) throws(StoreError) -> EffectRecord? {
        try first(EffectRecord.byID) { $0.add(id.rawValue) }
    }

    /// Returns a stored attempt of an effect, or `nil` if there is none. The attempt outlives the effect.
    package func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord? {
        try first(AttemptRecord.byNumber) {
            $0.add(effect.rawValue)
            $0.add(number)
        }
    }

    /// Returns the queue settings after a queue name, in the byte order of names; at most `limit`.
    package func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord] {
        try all(QueueRecord.after) {
            $0.add(queue ?? "")
            $0.add(Int64(limit))
        }
    }

    /// Returns the machine settings after a key, ordered by namespace and by the bytes of the name; at most `limit`.
    package func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting] {
        try all(MachineSetting.after) {
            $0.add(key?.namespace.rawValue ?? 0)
            $0.add(key?.name.rawValue ?? "")
            $0.add(Int64(limit))
        }
    }

    /// Returns true if the store itself records that no effect starts until somebody releases the effects.
    package func isHeld() throws(StoreError) -> Bool {
        try read(Request(HeldColumn.read)) { answer in try answer.first { row in try row.flag() } ?? false }
    }

    /// Returns the highest number of a recorded change of tokens, or `nil` if there is none.
    package func lastChangeNumber() throws(StoreError) -> Int64? {
        let found: ChangeRecord? = try first(ChangeRecord.lastNumbered) { _ in }
        return found?.number
    }

    private func first<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> Row? {
        try read(Request(statement, fill: fill)) { answer in try answer.first { row in try Row(row: &row) } }
    }

    private func all<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> [Row] {
        try read(Request(statement, fill: fill)) { answer in try answer.all { row in try Row(row: &row) } }
    }

    func read<Value>(
        _ request: Request, _ body: (Answer) throws -> Value
    ) throws(StoreError) -> Value {
        let answers = try log.read([request])
        do {
            guard let answer = answers.first else { throw PostgresFailure(.damaged, "the server gave no answer") }
            return try body(answer)
        } catch {
            throw StoreError("Cannot read from '\(address)'", PostgresFailure(error))
        }
    }
}
