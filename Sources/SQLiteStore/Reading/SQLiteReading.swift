import GRDB
package import WorkflowStore

/// The reads of one SQLite file, whoever has it open: the part that `SQLiteFileStore` and `SQLiteFile` share.
package protocol SQLiteReading: StoreReader, StoreAudit {
    /// The reading connections.
    var readers: ReaderPool { get }
    /// The limits of the reads.
    var limits: StoreLimits { get }
}

extension SQLiteReading {
    package var partitions: [PartitionID] { [.first] }

    package var audit: (any StoreAudit)? { self }
}

extension SQLiteReading {
    package func instances(
        _ query: InstanceQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> InstancePage {
        if let search = NameScan(query, in: namespace, limits: limits) { return try await page(of: search) }
        return try await page(of: InstanceScan(query, in: namespace, limits: limits))
    }

    private func page<Search: PageSearch>(of search: Search) async throws(StoreError) -> InstancePage {
        var search = search
        let end = ContinuousClock.now + limits.conditionDuration
        while !search.isDone {
            search = try await readers.slice { [search] database, budget in
                var search = search
                try search.step(database, &budget)
                return search
            }
            if search.examination.examined > 0, ContinuousClock.now >= end { search.pause() }
        }
        var page = search.page
        page.examination = search.examination
        return page
    }
}

/// A search for a page of instances, which continues slice by slice.
protocol PageSearch: Sendable {
    /// The page so far.
    var page: InstancePage { get }
    var isDone: Bool { get }
    /// The work for the condition of the query.
    var examination: InstanceExamination { get }

    /// Continues until the page is complete, or until its rows or the slice's budget are used up.
    mutating func step(_ database: Database, _ budget: inout SliceBudget) throws

    /// Ends the page at the last place that was looked at. A search that needs all instances goes on.
    mutating func pause()
}
