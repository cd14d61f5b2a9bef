import Statechart
import WorkflowStore

// The tables of what operators asked for.

extension CopyTable {
    /// The settings of machines, checked for those whose version does not exist.
    static let setting = CopyTable(
        "machine_setting", key: ["namespace_id": .number, "name": .text],
        columns: """
            \(MachineSetting.columns.of("t")), EXISTS (SELECT 1 FROM machine m WHERE m.namespace_id = t.namespace_id
                AND m.name = t.name AND m.version = coalesce(t.active, m.version))
            """, from: "machine_setting t"
    ) { row, _ in
        let setting = try MachineSetting(row: &row)
        if try row.flag() { return nil }
        let version = setting.active.map { "version \($0) of " } ?? ""
        return Inconsistency("something is set for \(version)machine '\(setting.key.name)', which is not there")
    }

    /// The erasures. One that a restore has ordered has not begun yet. A deleted instance has no rows to compare with.
    static let erasure = CopyTable(
        "erasure", key: ["id": .number],
        columns: """
            \(ErasureRecord.columns.of("t")), i.id IS NOT NULL, coalesce(i.uuid = t.uuid, false),
            i.id IS NULL OR i.status = 'purging', coalesce(j.kind = 'redacted' AND j.instance_id = t.instance_id, false),
            (t.seq IS NULL) = (t.bottom IS NULL) AND (t.seq IS NULL) = (t.top IS NULL)
                AND (t.next IS NULL OR t.seq IS NOT NULL),
            coalesce(t.seq IS NULL OR (t.seq = j.seq AND t.top BETWEEN t.seq AND i.seq
                AND (t.bottom = 1 AND t.top = t.seq OR t.bottom BETWEEN t.seq + 1 AND t.top)
                AND (t.next IS NULL OR EXISTS (SELECT 1 FROM journal n WHERE n.position = t.next
                    AND n.instance_id = t.instance_id AND n.seq BETWEEN t.bottom AND t.top))), false),
            coalesce(t.seq IS NOT NULL OR j.seq < i.salt_from, false)
            """,
        from: "erasure t LEFT JOIN instance i ON i.id = t.instance_id LEFT JOIN journal j ON j.position = t.id"
    ) { row, inspection in
        let erasure = try ErasureRecord(row: &row)
        let (id, instance) = (erasure.id, erasure.instanceID)
        let flags = try (0..<7).map { _ in try row.flag() }
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: instance, position: Position(rawValue: id), what)
        }
        if id < 0, instance == ErasureRecord.noInstance { return nil }
        // Proof: as many were read above, or the read has failed.
        let (isThere, hasUUID, isGone) = (flags[0], flags[1], flags[2])
        guard isThere else {
            if inspection.erased.count < CopyInspection.mostErased {
                inspection.erased[instance.rawValue] = erasure.uuid
            }
            return nil
        }
        if !hasUUID { return wrong("an erasure names the instance by another UUID") }
        if isGone || id < 0 { return nil }
        if !flags[3] { return wrong("there is an erasure without its row") }
        if !flags[4] || !flags[5] { return wrong("an erasure does not say how far it is") }
        return flags[6] ? nil : wrong("an erasure has ended, and the instance has kept its salt")
    }

    /// The runs over many instances.
    static let run = CopyTable(
        "bulk", key: ["namespace_id": .number, "name": .text, "partition": .number],
        columns: "\(BulkRecord.columns.of("t")), t.namespace_id IN (SELECT n.id FROM namespace n)", from: "bulk t"
    ) { row, inspection in
        let run = try BulkRecord(row: &row)
        if !isJSON(run.request) || !isJSON(run.outcome) {
            return Inconsistency("the run '\(run.key.name)' cannot be read")
        }
        let isOfStore = try row.flag() && inspection.store.partition(run.key.partition) != nil
        return isOfStore ? nil : Inconsistency("the run '\(run.key.name)' is of no namespace or partition")
    }

    /// The names that runs were given. Each piece needs its run and the piece before.
    static let runNames = CopyTable(
        "bulk_names", key: ["namespace_id": .number, "name": .text, "partition": .number, "piece": .number],
        columns: """
            \(RunNames.columns.of("t")), EXISTS (SELECT 1 FROM bulk r WHERE r.namespace_id = t.namespace_id
                AND r.name = t.name AND r.partition = t.partition),
            t.piece = 0 OR EXISTS (SELECT 1 FROM bulk_names b WHERE b.namespace_id = t.namespace_id
                AND b.name = t.name AND b.partition = t.partition AND b.piece = t.piece - 1)
            """, from: "bulk_names t"
    ) { row, _ in
        let names = try RunNames(row: &row)
        let (hasRun, hasPiece) = (try row.flag(), try row.flag())
        if !hasRun { return Inconsistency("there are names for the run '\(names.key.name)', which is not there") }
        return hasPiece
            ? nil : Inconsistency("names of the run '\(names.key.name)' are missing before piece \(names.piece)")
    }

    /// The instances that are not yet fully deleted.
    static let purge = CopyTable(
        "purge", key: ["partition": .number, "waits": .flag, "head": .number],
        columns: """
            \(PurgeRecord.columns.of("t")), coalesce(i.status = 'purging', false),
            coalesce(j.instance_id = t.instance_id AND j.seq = t.seq, false),
            coalesce(a.instance_id = t.instance_id AND a.rows >= t.seq, false), coalesce(length(j.salt) = 0, false),
            coalesce(i.salt = decode(repeat('00', 16), 'hex'), false),
            coalesce(a.rows > t.seq, false)
            """,
        from: """
            purge t LEFT JOIN instance i ON i.id = t.instance_id LEFT JOIN journal j ON j.position = t.head
                LEFT JOIN audit a ON a.position = t.audit
            """,
        end: { inspection in
            guard inspection.isWhole, !inspection.purges.isZero else { return }
            inspection.slice.inconsistencies.append(
                Inconsistency("the table 'purge' does not have the instances that are deleted"))
        }
    ) { row, inspection in
        let left = try PurgeRecord(row: &row)
        let flags = try (0..<6).map { _ in try row.flag() }
        inspection.purges.add(left.instanceID, times: -1)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: left.instanceID, seq: left.seq, position: left.head, what)
        }
        // Proof: as many were read above, or the read has failed.
        if !flags[0] { return wrong("something is left to delete of an instance that is not deleted") }
        if !flags[1] { return wrong("the last row that is left of it is missing") }
        if !flags[2] { return wrong("the table 'audit' does not say that it is deleted") }
        if left.waits, left.seq.rawValue != 1 || !flags[3] { return wrong("its first row waits, and is not emptied") }
        // Emptying the first row clears the instance's salt, and the row waits from then on.
        if !left.waits, flags[4] { return wrong("its first row is emptied, and does not wait") }
        let floor = inspection.store.partition(left.head.partition)?.purgeFloor.rawValue ?? .max
        let isFloorBelow = flags[5] && floor <= left.head.rawValue &+ 1
        return isFloorBelow ? wrong("the store says that rows are there which are deleted") : nil
    }

    /// The deletions.
    static let audit = CopyTable(
        "audit", key: ["position": .number],
        columns: """
            \(AuditRecord.columns.of("t")), i.id IS NULL,
            coalesce(i.id IS NULL OR (i.status = 'purging' AND i.uuid = t.uuid AND i.seq = t.rows
                AND i.digest = t.digest AND i.machine_id = t.machine_id AND i.namespace_id = t.namespace_id), false),
            t.namespace_id IN (SELECT n.id FROM namespace n) AND (t.machine_id = 0
                OR EXISTS (SELECT 1 FROM machine m WHERE m.id = t.machine_id)),
            NOT EXISTS (SELECT 1 FROM journal j WHERE j.position = t.position)
                AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.id = t.position)
            """,
        from: "audit t LEFT JOIN instance i ON i.id = t.instance_id",
        end: { inspection in
            guard inspection.isWhole else { return }
            if let id = inspection.erased.keys.min() {
                inspection.slice.inconsistencies.append(
                    Inconsistency("there is an erasure of an instance \(id) that is not there and was not deleted"))
            }
            guard !inspection.numbers.isWhole(inspection.store) else { return }
            inspection.slice.miscount = Inconsistency(
                "the tables 'instance' and 'audit' do not have every instance number")
        }
    ) { row, inspection in
        let audit = try AuditRecord(row: &row)
        let (isGone, isOfInstance, isOfMachine) = (try row.flag(), try row.flag(), try row.flag())
        let isAlone = try row.flag()
        inspection.numbers.add(audit.instanceID, inspection.store)
        let id = audit.instanceID.rawValue
        if isGone, inspection.erased[id] == audit.uuid { inspection.erased[id] = nil }
        let before = inspection.lastDeletion
        inspection.lastDeletion = (audit.position, audit.at)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: isGone ? nil : audit.instanceID, position: audit.position, what)
        }
        if !isOfInstance { return wrong("a deletion does not say what the instance was") }
        if !isOfMachine { return wrong("a deletion names a machine or a namespace that is not there") }
        if !isAlone { return wrong("a deletion has the position of a row") }
        guard let before, before.position.partition == audit.position.partition else { return nil }
        return inspection.follows(audit.at, before) ? nil : wrong("a deletion's time lies before the one before")
    }

    /// The changes that belong to no instance's history.
    static let change = CopyTable(
        "change", key: ["position": .number],
        columns: """
            \(ChangeRecord.columns.of("t")), t.namespace_id IN (SELECT n.id FROM namespace n),
            EXISTS (SELECT 1 FROM machine m WHERE m.namespace_id = t.namespace_id AND m.name = t.object
                AND m.version = coalesce(t.version, m.version)),
            NOT EXISTS (SELECT 1 FROM journal j WHERE j.position = t.position)
                AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.id = t.position)
                AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.position = t.position)
            """, from: "change t"
    ) { row, inspection in
        let change = try ChangeRecord(row: &row)
        let (isOfNamespace, isOfMachine, isAlone) = (try row.flag(), try row.flag(), try row.flag())
        let before = inspection.lastChange
        inspection.lastChange = (change.position, change.at, change.number ?? before?.number)
        func wrong(_ what: String) -> Inconsistency { Inconsistency(position: change.position, what) }
        if !change.isPlausible {
            return wrong("a change does not have the values of its action '\(change.action.rawValue)'")
        }
        if !isOfNamespace { return wrong("a change names a namespace that is not there") }
        if change.action.isOfMachine, !isOfMachine {
            return wrong("a change names a machine or a version that is not there")
        }
        if !isAlone { return wrong("a change has the position of another row") }
        guard let before else { return nil }
        if let number = change.number, let numberBefore = before.number, number <= numberBefore {
            return wrong("a change of tokens has a number that is not above the one before")
        }
        guard before.position.partition == change.position.partition else { return nil }
        return inspection.follows(change.at, (before.position, before.at))
            ? nil : wrong("a change's time lies before the one before")
    }
}
