import Statechart
package import WorkflowStore

extension PostgresDatabase {
    package func row(before position: Position) async throws(StoreError) -> JournalRecord? {
        try await first(JournalStatements.before) {
            $0.add(position.partition.rawValues.lowerBound)
            $0.add(position.rawValue)
        }
    }

    package func journal(_ query: JournalQuery, in namespace: NamespaceID) async throws(StoreError) -> JournalSlice {
        let slice = try await journal(query, in: namespace, into: []) { rows, listed in rows.append(listed) }
        return JournalSlice(rows: slice.result, through: slice.reach.through, isLast: slice.reach.isLast)
    }

    package func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) async throws(StoreError) -> (result: Result, reach: JournalReach) {
        try await journal(query, in: namespace, into: result) { result, listed in
            listed.lend { add(&result, $0) }
        }
    }

    private func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, ListedRow) -> Void
    ) async throws(StoreError) -> (result: Result, reach: JournalReach) {
        let limit = limits.sliceRows
        return try await readers.readOnce { snapshot in
            let request = Request(JournalStatements.slice) {
                $0.add(namespace.rawValue)
                $0.add(query.after.rawValue)
                $0.add(query.through?.rawValue ?? query.after.partition.rawValues.upperBound)
                $0.add(Int64(limit))
                $0.add(Int64(query.bytes))
            }
            return try snapshot.read(request) { answer in
                var result = result
                var reach = JournalReach(through: query.after, isLast: query.through == nil)
                var bytes: Int64 = 0
                for found in try answer.all({ row in try FoundRow(&row) }) {
                    reach.through = found.row.position
                    bytes = found.bytes
                    guard let listed = found.listed(query.filter) else { continue }
                    add(&result, listed)
                }
                // Otherwise the server has looked at all rows.
                if answer.count == limit || bytes >= query.bytes {
                    reach.isLast = false
                } else if let through = query.through {
                    reach.through = through
                }
                return (result, reach)
            }
        }
    }

    package func history(_ query: HistoryQuery) async throws(StoreError) -> [JournalRecord] {
        var bottom = max(1, query.seqs.lowerBound)
        var top = min(query.headSeq.rawValue, query.seqs.upperBound)
        guard bottom <= top else { return [] }
        if query.isReversed {
            bottom = max(bottom, top - limits.historyRows + 1)
        } else {
            top = min(top, bottom + limits.historyRows - 1)
        }
        let (seqs, bytes) = (bottom...top, limits.pageBytes)
        return try await readers.read { snapshot in
            let isThere: [InstanceRecord] = try snapshot.all(InstanceRecord.byIDs) {
                $0.add(ArrayColumn([query.instance.rawValue]))
            }
            // The instance was deleted meanwhile.
            if isThere.isEmpty { return [] }
            let rows: [JournalRecord] = try snapshot.all(
                query.isReversed ? JournalStatements.newestFirst : JournalStatements.oldestFirst
            ) {
                for number in [
                    query.instance.rawValue, seqs.lowerBound, seqs.upperBound, query.headSeq.rawValue,
                    query.head.rawValue, bytes,
                ] { $0.add(number) }
            }
            try Self.check(rows, of: query, seqs)
            return rows
        }
    }

    /// Throws if rows are missing.
    private static func check(_ rows: [JournalRecord], of query: HistoryQuery, _ seqs: ClosedRange<Int64>) throws {
        let step: Int64 = query.isReversed ? -1 : 1
        var expected = query.isReversed ? seqs.upperBound : seqs.lowerBound
        for row in rows {
            guard row.seq.rawValue == expected, row.instanceID == query.instance else { throw broken(expected) }
            expected += step
        }
        if rows.isEmpty { throw broken(expected) }
    }

    private static func broken(_ seq: Int64) -> PostgresFailure {
        PostgresFailure(.damaged, "the history has no row at seq \(seq)")
    }

    package func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) async throws(StoreError) -> Seq? {
        if head < position { return headSeq }
        return try await readers.readOnce { snapshot in
            let request = Request(JournalStatements.lastBefore) {
                for number in [instance.rawValue, position.rawValue, headSeq.rawValue, head.rawValue] { $0.add(number) }
            }
            return try snapshot.read(request) { answer in
                let found = try answer.first { row in
                    let place = try row.position()
                    return (place: place, seq: try row.seq(), isFirst: row.skipsNull())
                }
                if let found, found.place < position { return found.seq }
                guard let found, found.isFirst else {
                    throw PostgresFailure(.damaged, "a row of a history is missing")
                }
                return nil
            }
        }
    }

    package func continued(_ searches: [StaySearch]) async throws(StoreError) -> [StaySearch] {
        let open = searches.indices.filter { searches[$0].next != nil }
        if open.isEmpty { return searches }
        let rows = Int64(max(1, limits.sliceRows / open.count))
        return try await readers.read { snapshot in
            let requests = open.map { place in
                Request(JournalStatements.stays) {
                    $0.add(searches[place].instance.rawValue)
                    $0.add(searches[place].next?.rawValue)
                    $0.add(rows)
                }
            }
            return try snapshot.read(requests) { answers in
                var searches = searches
                for (place, answer) in zip(open, answers) { try searches[place].take(answer, rows) }
                return searches
            }
        }
    }
}

extension StaySearch {
    /// Takes the next rows of the instance, newest first.
    fileprivate mutating func take(_ answer: Answer, _ limit: Int64) throws {
        let rows = try answer.all { row in
            let position = try row.position()
            let previous = try row.previous(of: position)
            return (position: position, previous: previous, at: try row.time(), from: try row.text())
        }
        for row in rows {
            guard next == row.position else { return }
            take(at: row.at, from: row.from, previous: row.previous)
        }
        // The instance was deleted.
        if rows.count < limit { end() }
    }
}
