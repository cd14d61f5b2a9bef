import WorkflowStore

extension PostgresAudit {
    func inspectCopies(after place: InspectionPlace) async throws(StoreError) -> InspectedCopies {
        let limit = limits.sliceRows
        return try await read { snapshot, store in
            // An inspection gets back only the places that it gave; any other one begins anew.
            var place = place.mark as? CopyPlace ?? CopyPlace(inspection: CopyInspection(store: store))
            return try place.slice(snapshot, limit)
        }
    }
}

/// A place in the walk through the tables, one after another.
private struct CopyPlace: Sendable {
    private var number = 0
    private var last: [KeyedTable.KeyValue]?
    private var inspection: CopyInspection

    init(inspection: CopyInspection) {
        self.inspection = inspection
    }

    /// Inspects some rows from this place on.
    mutating func slice(_ snapshot: Snapshot, _ limit: Int) throws -> InspectedCopies {
        guard CopyTable.all.indices.contains(number) else { return InspectedCopies() }
        let table = CopyTable.all[number]
        inspection.slice = InspectedCopies()
        let count = try snapshot.read(table.rows.request(after: last, limit: limit)) { answer in
            try answer.all { row in
                last = try table.rows.place(&row)
                do {
                    if let found = try table.look(&row, &inspection) {
                        inspection.slice.inconsistencies.append(found)
                    }
                } catch {
                    inspection.slice.inconsistencies.append(
                        Inconsistency("a row of the table '\(table.name)': \(PostgresFailure(error).message)"))
                    inspection.isWhole = false
                }
            }.count
        }
        if count < limit {
            table.end(&inspection)
            (number, last) = (number + 1, nil)
        }
        var slice = inspection.slice
        if number < CopyTable.all.count { slice.next = InspectionPlace(self) }
        return slice
    }
}
