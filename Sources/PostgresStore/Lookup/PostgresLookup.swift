import WorkflowStore

/// The reads that applying a command needs, on any connection.
protocol PostgresLookup: StoreLookup, StorePrefetch, RowReading {
    var address: PostgresAddress { get }
    /// The rows that were read ahead.
    var rows: PrefetchedRows { get }
}

extension PostgresLookup {
    func error(_ failure: PostgresFailure) -> StoreError { StoreError("Cannot read from '\(address)'", failure) }

    package var prefetch: (any StorePrefetch)? { self }

    package func forget() { rows.forget() }

    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        if let known = rows.machine(WantedMachine(key, version: version)) { return known }
        return try first(MachineRecord.byVersion) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
            $0.add(version?.rawValue)
        }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        if let known = rows.versions[id] { return known }
        return try first(MachineRecord.byID) { $0.add(id.rawValue) }
    }

    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        if let known = rows.instance(key) { return known }
        return try first(InstanceRecord.byName) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
        }
    }

    package func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord] {
        try all(InstanceRecord.byIDs) { parameters in
            parameters.add(ArrayColumn(ids.map(\.rawValue)))
        }
    }

    package func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey? {
        if let known = rows.key(of: id) { return known }
        return try instances([id]).first?.key
    }

    package func audit(key: Digest) throws(StoreError) -> AuditRecord? {
        try first(AuditRecord.byKey) { $0.add(key.bytes) }
    }

    package func openErasure(of instance: InstanceID) throws(StoreError) -> ErasureRecord? {
        try first(ErasureRecord.open) { $0.add(instance.rawValue) }
    }

    package func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord? {
        try first(BulkRecord.byKey) { key.add(to: &$0) }
    }

    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        if let known = rows.position(of: key, in: scope) { return known }
        let found: KeyRecord? = try first(KeyRecord.byKey) {
            $0.add(key.bytes)
            $0.add(scope.rawValue)
        }
        return found?.position
    }

    package func row(at position: Position) throws(StoreError) -> JournalRecord? {
        try first(JournalRecord.byPosition) { $0.add(position.rawValue) }
    }

    package func effect(_ id: Position) throws(StoreError) -> EffectRecord? {
        try first(EffectRecord.byID) { $0.add(id.rawValue) }
    }

    package func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord? {
        try first(AttemptRecord.byNumber) {
            $0.add(effect.rawValue)
            $0.add(number)
        }
    }

    package func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord] {
        try all(QueueRecord.after) {
            $0.add(queue ?? "")
            $0.add(Int64(limit))
        }
    }

    package func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting] {
        try all(MachineSetting.after) {
            $0.add(key?.namespace.rawValue ?? 0)
            $0.add(key?.name.rawValue ?? "")
            $0.add(Int64(limit))
        }
    }

    package func isHeld() throws(StoreError) -> Bool {
        try read(Request(HeldColumn.read)) { answer in try answer.first { row in try row.flag() } ?? false }
    }

    package func lastChangeNumber() throws(StoreError) -> Int64? {
        let found: ChangeRecord? = try first(ChangeRecord.lastNumbered) { _ in }
        return found?.number
    }
}
