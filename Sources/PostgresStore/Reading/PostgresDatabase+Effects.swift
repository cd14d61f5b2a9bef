import Statechart
package import WorkflowStore

extension PostgresDatabase {
    package func effects(_ ids: [Position]) async throws(StoreError) -> [EffectRecord] {
        try await all(EffectRecord.byIDs) { $0.add(ArrayColumn(ids.sorted().map(\.rawValue))) }
    }

    package func effects(_ query: EffectQuery, in namespace: NamespaceID) async throws(StoreError) -> EffectPage {
        if query.limit < 1 { return EffectPage(effects: [], next: nil) }
        let limits = limits
        return try await readers.read { snapshot in
            var page = EffectPage(effects: [], next: nil)
            var (rowsLeft, bytesLeft) = (limits.pageRows, limits.pageBytes)
            var place = query.after
            while true {
                let size = min(limits.costlyRows, rowsLeft + 1)
                let request = Request(EffectStatements.page) {
                    for number in [namespace.rawValue, place?.rawValue ?? .min, Int64(size)] { $0.add(number) }
                    $0.add(ArrayColumn(texts: query.queues))
                    $0.add(ArrayColumn(texts: query.states.map(\.rawValue)))
                }
                let rows = try snapshot.read(request) { answer in
                    try answer.all { row in try EffectStatements.listed(&row) }
                }
                for row in rows {
                    if rowsLeft == 0 || row.isWanted && (page.effects.count == query.limit || bytesLeft <= 0) {
                        // This row proves that there is a next page.
                        page.next = place
                        return page
                    }
                    place = row.id
                    rowsLeft -= 1
                    guard let listed = row.listed else { continue }
                    page.effects.append(listed)
                    bytesLeft -= row.bytes
                }
                if rows.count < size { return page }
            }
        }
    }

    package func queues(_ query: QueueQuery) async throws(StoreError) -> [QueueSummary] {
        let partitions = Int64(partitions.count)
        return try await readers.read { snapshot in
            var queues: [QueueSummary] = []
            while queues.count < query.limit {
                let next = try snapshot.read(
                    Request(EffectStatements.nextQueue) {
                        $0.add(partitions)
                        $0.add(queues.last?.name ?? query.after ?? "")
                    }
                ) { answer in try answer.first { row in row.skipsNull() ? nil : try row.name() } ?? nil }
                guard let next else { break }
                queues.append(try Self.summary(of: next, query, partitions, snapshot))
            }
            return queues
        }
    }

    private static func summary(
        of queue: String, _ query: QueueQuery, _ partitions: Int64, _ snapshot: Snapshot
    ) throws -> QueueSummary {
        var summary = QueueSummary(name: queue)
        summary.record = try snapshot.first(QueueRecord.byName) { $0.add(queue) }
        let counts = Request(EffectStatements.counts) {
            $0.add(partitions)
            $0.add(queue)
            $0.add(query.now.rawValue)
            $0.add(Int64(query.bound))
        }
        let oldest = Request(EffectStatements.oldest) {
            $0.add(partitions)
            $0.add(queue)
            $0.add(ArrayColumn(query.running.map(\.rawValue)))
        }
        return try snapshot.read([counts, oldest]) { answers in
            var summary = summary
            _ = try answers.first?.first { row in
                summary.ready = Int(try row.count())
                summary.waiting = Int(try row.count())
                summary.leased = Int(try row.count())
                summary.failed = Int(try row.count())
                summary.held = Int(try row.count())
                summary.answered = Int(try row.count())
            }
            summary.oldestDue = try answers.last?.first { row in try row.optionalTime() } ?? nil
            return summary
        }
    }

    package func calls(behind head: Position) async throws(StoreError) -> [Position] {
        try await readers.readOnce { snapshot in
            try snapshot.read(Request(EffectStatements.calls) { $0.add(head.rawValue) }) { answer in
                try answer.all { row in try row.position() }
            }
        }
    }

    package func attempts(of effect: Position, instance: InstanceID) async throws(StoreError) -> [AttemptRecord] {
        try await all(AttemptRecord.ofEffect) {
            $0.add(effect.rawValue)
            $0.add(instance.rawValue)
        }
    }

    package func attempts(behindRowsFrom row: Position, limit: Int) async throws(StoreError) -> AttemptPage {
        let limits = limits
        return try await readers.read { snapshot in
            var page = AttemptPage()
            page.next = row
            var rowsLeft = limits.pageRows
            while let place = page.next, rowsLeft > 0, page.attempts.count < limit {
                let request = Request(EffectStatements.rowsBack) {
                    $0.add(place.rawValue)
                    $0.add(Int64(limits.costlyRows))
                }
                let rows = try snapshot.read(request) { answer in
                    try answer.all { row in
                        let position = try row.position()
                        return (position: position, seq: try row.seq(), previous: try row.previous(of: position))
                    }
                }
                if rows.isEmpty { return AttemptPage() }
                let attempts: [AttemptRecord] = try snapshot.all(AttemptRecord.ofRows) {
                    $0.add(ArrayColumn(rows.map(\.position.rawValue)))
                }
                for row in rows where page.next != nil && page.attempts.count < limit {
                    // An effect belongs to the last row before it.
                    let own = attempts.filter { attempt in
                        rows.first { $0.position < attempt.effect }?.position == row.position
                    }
                    page.attempts += own.map { ListedAttempt($0, seq: row.seq) }
                    page.next = row.previous
                    rowsLeft -= 1
                }
            }
            return page
        }
    }
}
