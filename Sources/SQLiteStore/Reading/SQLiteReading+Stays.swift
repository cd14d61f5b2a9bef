import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func continued(_ searches: [StaySearch]) async throws(StoreError) -> [StaySearch] {
        try await readers.slice { database, budget in
            var searches = searches
            for place in searches.indices {
                while let position = searches[place].next {
                    let isThere = try database.first(
                        "SELECT at_ms, previous, from_state FROM journal WHERE position = ? AND instance_id = ?",
                        position, searches[place].instance
                    ) { row in
                        let (at, previous) = (try row.time(), try row.previous(of: position))
                        searches[place].take(at: at, from: try row.text(), previous: previous)
                        return true
                    }
                    if isThere == nil { searches[place].end() }
                    if !budget.spend() { return searches }
                }
            }
            return searches
        }
    }
}
