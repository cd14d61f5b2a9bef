import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func instances(
        _ query: InstanceQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> InstancePage {
        var scan = InstanceScan(query, in: namespace, limits: limits)
        while !scan.isDone {
            scan = try await readers.slice { [scan] database, budget in
                var scan = scan
                try scan.step(database, &budget)
                return scan
            }
        }
        return scan.page
    }
}
