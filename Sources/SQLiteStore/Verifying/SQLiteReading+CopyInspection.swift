import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func inspectCopies(after place: InspectionPlace) async throws(StoreError) -> InspectedCopies {
        try await readers.slice { database, budget in
            var place = CopyPlace(place)
            return try place.slice(database, &budget)
        }
    }
}

/// A place in the walk through the tables that repeat data of others, one after another.
private struct CopyPlace: Sendable {
    private var number = 0
    private var walk = OrderedWalk()
    /// The store's ledger of keys when the table was begun.
    private var ledger: KeyLedger?
    private var counts = TableInspection.Counts()

    private var table: Table { Table.all[number] }

    /// Inspects some rows from this place on.
    mutating func slice(_ database: Database, _ budget: inout SliceBudget) throws -> InspectedCopies {
        var slice = InspectedCopies()
        do {
            guard let store = try StoreRow.read(database) else { throw StoreRow.missing }
            let begun = ledger ?? store.keys
            ledger = begun
            var inspection = TableInspection(database: database, store: store, ledger: begun, counts: counts)
            defer { (slice, counts) = (inspection.slice, inspection.counts) }
            if try !table.isThere(in: database) {
                inspection.slice.next = following().map(InspectionPlace.init)
            } else if try run(&inspection, &budget) {
                if !inspection.isInOrder { inspection.counts.leaveOut(table) }
                table.end(&inspection)
                counts = inspection.counts
                inspection.slice.next = following().map(InspectionPlace.init)
            } else {
                counts = inspection.counts
                inspection.slice.next = InspectionPlace(self)
            }
        } catch {
            let failure = SQLiteFailure(error)
            guard failure.isCorrupt else { throw error }
            counts.leaveOut(table)
            slice.inconsistencies.append(
                Inconsistency("\(table.order.name) cannot be read, and its rest was not compared: \(failure)"))
            slice.next = following().map(InspectionPlace.init)
        }
        return slice
    }

    /// Returns the place before the next table; `nil` after the last table.
    private func following() -> CopyPlace? {
        guard number + 1 < Table.all.count else { return nil }
        var next = CopyPlace()
        next.number = number + 1
        if next.table.isFirstCounted { next.counts.erasures = counts.erasures } else { next.counts = counts }
        return next
    }

    /// Inspects some rows of the table; returns false if the slice's budget ended before the table.
    private mutating func run(_ inspection: inout TableInspection, _ budget: inout SliceBudget) throws -> Bool {
        let (table, database) = (table, inspection.database)
        try inspection.counts.see(inspection.store, database)
        try walk.begin(table.order, database)
        var select = try PreparedStatement(database, table.rows(after: walk.last != nil))
        for value in walk.last ?? [] { select.bind(value) }
        var isWhole = true
        try select.forEachRow { row in
            // The row is read again from its first column on.
            var columns = row
            switch try walk.step(table.order.columns.map { _ in columns.value() }, table.order, database) {
            case .take: break
            case .stop: return false
            case .refuse(let what):
                inspection.slice.inconsistencies.append(Inconsistency(what))
                inspection.isInOrder = false
                return false
            }
            do {
                if let found = try table.look(&row, &inspection) { inspection.slice.inconsistencies.append(found) }
            } catch let failure as SQLiteFailure where failure.isOurs {
                inspection.slice.inconsistencies.append(
                    Inconsistency("a row of \(table.order.name): \(failure.message)"))
                inspection.counts.leaveOut(table)
            }
            isWhole = budget.spend()
            return isWhole
        }
        return isWhole
    }
}

extension CopyPlace {
    init(_ place: InspectionPlace) {
        guard let mark = place.mark else {
            self.init()
            return
        }
        // Proof: an inspection gets back only the places that it gave.
        guard let mark = mark as? CopyPlace else { preconditionFailure("the place is of another inspection") }
        self = mark
    }
}
