import Statechart
package import WorkflowStore

extension PostgresDatabase {
    package func instanceNames(near key: InstanceKey, limit: Int) async throws(StoreError) -> [InstanceName] {
        guard limit > 0 else { return [] }
        let limit = min(limit, limits.suggestionRows)
        return try await readers.read { snapshot in
            let requests = [ListStatements.namesBefore, ListStatements.namesFrom].map { statement in
                Request(statement) {
                    $0.add(key.namespace.rawValue)
                    $0.add(key.name.rawValue)
                    $0.add(Int64(limit))
                }
            }
            let sides = try snapshot.read(requests) { answers in
                try answers.map { answer in try answer.all { row in try row.instanceName() } }
            }
            guard let before = sides.first, let after = sides.last else { return [] }
            // Half of the names come from each side; if one side has fewer, the other fills the rest.
            let fewBefore = min(before.count, max(limit / 2, limit - after.count))
            return before.prefix(fewBefore).reversed() + after.prefix(limit - fewBefore)
        }
    }

    package func tally(_ query: TallyQuery, in namespace: NamespaceID) async throws(StoreError) -> [TallyRecord] {
        try await readers.readOnce { snapshot in
            let request = Request(TallyTable.page) {
                $0.add(namespace.rawValue)
                $0.add(ArrayColumn(texts: query.machines.map(\.rawValue)))
                $0.add(query.semanticsBelow)
                $0.add(query.after?.machineID.rawValue ?? 0)
                $0.add(query.after?.status.rawValue ?? "")
                $0.add(query.after?.configuration ?? "")
                $0.add(Int64(query.limit))
            }
            return try snapshot.read(request) { answer in
                try answer.all { row in
                    let (key, count) = try TallyTable.count(&row)
                    return TallyRecord(
                        key: key, machine: try row.machineName(), version: try row.version(),
                        semantics: try row.ordinal(), count: count)
                }
            }
        }
    }

    package func oldestRunning(
        in namespace: NamespaceID, atMost bound: Int
    ) async throws(StoreError) -> [OldestInState] {
        try await readers.readOnce { snapshot in
            let request = Request(ListStatements.oldest) {
                $0.add(namespace.rawValue)
                $0.add(Int64(bound))
            }
            return try snapshot.read(request) { answer in
                try answer.all { row in
                    OldestInState(
                        machineID: try row.machineID(), configuration: try row.text(), entered: try row.time())
                }
            }
        }
    }

    package func timers(
        in namespace: NamespaceID, after key: TimerKey?, limit: Int
    ) async throws(StoreError) -> [ListedTimer] {
        let partitions = Int64(partitions.count)
        return try await readers.readOnce { snapshot in
            let request = Request(ListStatements.timers) {
                $0.add(namespace.rawValue)
                $0.add(partitions)
                $0.add(key?.due.rawValue ?? .min)
                $0.add(key?.position.rawValue ?? 0)
                $0.add(key?.ordinal ?? 0)
                $0.add(Int64(limit))
            }
            return try snapshot.read(request) { answer in
                try answer.all { row in
                    let timer = try TimerRecord(row: &row)
                    return ListedTimer(timer: timer, instance: try row.instanceName())
                }
            }
        }
    }

    package func audits(_ query: AuditQuery, in namespace: NamespaceID) async throws(StoreError) -> AuditPage {
        let scan = AuditScan(query: query, namespace: namespace, limits: limits)
        return try await readers.read { snapshot in try scan.page(snapshot) }
    }
}

/// The statements of lists.
private enum ListStatements {
    private static func names(_ name: String, _ comparison: String, _ order: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT name FROM instance
                WHERE namespace_id = $1::bigint AND name \(comparison) $2::text AND status <> 'purging'
                ORDER BY namespace_id \(order), name \(order) LIMIT $3::bigint
                """)
    }

    static let namesBefore = names("names-before", "<", "DESC")
    static let namesFrom = names("names-from", ">=", "ASC")

    static let oldest = Statement(
        name: "oldest-running",
        sql: """
            SELECT machine_id, configuration, min(entered_ms) FROM instance
            WHERE namespace_id = $1::bigint AND status = 'running' GROUP BY 1, 2 LIMIT $2::bigint
            """)

    /// The first timers of each partition, merged.
    static let timers = Statement(
        name: "list-timers",
        sql: """
            SELECT \(TimerRecord.columns.of("t")), t.name FROM generate_series(0, $2::bigint - 1) p
            CROSS JOIN LATERAL (
                SELECT timer.*, instance.name FROM timer JOIN instance ON instance.id = timer.instance_id
                WHERE timer.partition = p AND (due_ms, position, ordinal) > ($3::bigint, $4::bigint, $5::bigint)
                    AND instance.namespace_id = $1::bigint
                ORDER BY due_ms, position, ordinal LIMIT $6::bigint
            ) t ORDER BY t.due_ms, t.position, t.ordinal LIMIT $6::bigint
            """)
}
