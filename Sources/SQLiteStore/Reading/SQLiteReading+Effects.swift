import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func effects(_ ids: [Position]) async throws(StoreError) -> [EffectRecord] {
        var rest = ids.sorted()[...]
        var effects: [EffectRecord] = []
        while !rest.isEmpty {
            let slice = try await readers.slice { [rest] database, budget in
                var rest = try Table.effect.isThere(in: database) ? rest : []
                var effects: [EffectRecord] = []
                while let id = rest.popFirst() {
                    if let effect = try EffectRecord.first(database, "WHERE id = ?", id) { effects.append(effect) }
                    if !budget.spend() { break }
                }
                return (effects: effects, rest: rest)
            }
            rest = slice.rest
            effects += slice.effects
        }
        return effects
    }

    package func effects(
        _ query: EffectQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> EffectPage {
        var scan = EffectScan(query, in: namespace, limits: limits)
        while !scan.isDone {
            scan = try await readers.slice { [scan] database, budget in
                var scan = scan
                try scan.step(database, &budget)
                return scan
            }
        }
        return scan.page
    }

    package func queues(_ query: QueueQuery) async throws(StoreError) -> [QueueSummary] {
        var queues: [QueueSummary] = []
        while queues.count < query.limit {
            let last = queues.last?.name ?? query.after
            // One queue per slice, because its effects are counted.
            let next = try await readers.slice { database, _ in
                guard try Table.effect.isThere(in: database) else { return nil as QueueSummary? }
                return try QueueQueries.summary(database, after: last, query)
            }
            guard let next else { break }
            queues.append(next)
        }
        return queues
    }

    package func calls(behind head: Position) async throws(StoreError) -> [Position] {
        var calls: [Position] = []
        var place: Position? = head
        while let row = place {
            let slice = try await readers.slice { database, budget in
                var (found, next): ([Position], Position?) = ([], row)
                guard try Table.effect.isThere(in: database) else { return (found, nil as Position?) }
                while let row = next {
                    found += try EffectQueries.calls(database, behind: row)
                    next = try EffectQueries.previous(database, of: row)
                    if !budget.spend() { break }
                }
                return (found, next)
            }
            calls += slice.0
            place = slice.1
        }
        return calls.sorted()
    }

    package func attempts(behindRowsFrom row: Position, limit: Int) async throws(StoreError) -> AttemptPage {
        var page = AttemptPage()
        page.next = row
        var rows = limits.pageRows
        while page.next != nil, rows > 0, page.attempts.count < limit {
            (page, rows) = try await readers.slice { [page, rows] database, budget in
                var (page, rows) = (page, rows)
                guard try Table.effect.isThere(in: database) else { return (AttemptPage(), 0) }
                while let row = page.next, rows > 0, page.attempts.count < limit {
                    page.next = try EffectQueries.addAttempts(to: &page.attempts, behind: row, database)
                    rows -= 1
                    if !budget.spend() { break }
                }
                return (page, rows)
            }
        }
        return page
    }

    package func attempts(
        of effect: Position, instance: InstanceID
    ) async throws(StoreError) -> [AttemptRecord] {
        try await readers.slice { database, _ in
            guard try Table.effect.isThere(in: database) else { return [] }
            // The table keeps a bounded number of attempts at an effect.
            return try AttemptRecord.all(
                database, "WHERE effect = ? AND instance_id = ? ORDER BY attempt", effect, instance)
        }
    }
}
