import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func inspectIndexes(after place: InspectionPlace) async throws(StoreError) -> InspectedIndexes {
        let place = IndexPlace(place)
        return try await readers.slice { database, budget in
            let trees = try SearchTree.all(database)
            guard place.tree < trees.count else { return InspectedIndexes() }
            var inspection = TreeInspection(tree: trees[place.tree], place: place)
            do {
                try inspection.run(database, &budget)
                return inspection.slice
            } catch {
                return try inspection.unreadable(error)
            }
        }
    }
}

/// A place in the walk through the indexes, one after another.
private struct IndexPlace: Sendable {
    var tree = 0
    /// True if the walk looks the table's rows up in the index; false if it looks the index's entries up in the table.
    var isRows = false
    var walk = OrderedWalk()

    func following() -> IndexPlace {
        isRows ? IndexPlace(tree: tree + 1) : IndexPlace(tree: tree, isRows: true)
    }
}

/// One slice of one order, in one read transaction: the rows behind an index's entries, or the entries of the table's
/// rows.
private struct TreeInspection {
    let tree: SearchTree
    var place: IndexPlace
    var slice = InspectedIndexes()

    private var order: KeyOrder { tree.order(ofRows: place.isRows) }

    init(tree: SearchTree, place: IndexPlace) {
        self.tree = tree
        self.place = place
        slice.next = InspectionPlace(place.following())
    }

    mutating func run(_ database: Database, _ budget: inout SliceBudget) throws {
        let order = order
        let isBegun = place.walk.last != nil
        try place.walk.begin(order, database)
        var select = try PreparedStatement(
            database, place.isRows ? tree.rows(after: isBegun) : tree.entries(after: isBegun))
        for value in place.walk.last ?? [] { select.bind(value) }
        try select.forEachRow { row in
            let values = order.columns.map { _ in row.value() }
            switch try place.walk.step(values, order, database) {
            case .take: break
            case .stop: return false
            case .refuse(let what):
                slice.inconsistencies.append(Inconsistency(what))
                return false
            }
            if row.integer() == 0 {
                slice.inconsistencies.append(
                    inconsistency(Dictionary(zip(order.columns, values)) { first, _ in first }))
            }
            if budget.spend() { return true }
            slice.next = InspectionPlace(place)
            return false
        }
    }

    /// Returns the findings so far, and reports that the rest of this order is left out. Rethrows an error that is not
    /// damage.
    func unreadable(_ error: any Error) throws -> InspectedIndexes {
        let failure = SQLiteFailure(error)
        guard failure.isCorrupt else { throw error }
        var slice = slice
        slice.inconsistencies.append(
            Inconsistency("\(order.name) cannot be read, and its rest was not compared: \(failure)"))
        slice.next = InspectionPlace(place.following())
        return slice
    }

    private func inconsistency(_ values: [String: StoredValue]) -> Inconsistency {
        let index = tree.order(ofRows: false).name
        let what =
            place.isRows ? "\(index) does not lead to it" : "\(index) leads to it by what it does not have"
        guard case .integer(let number)? = values["rowid"] else {
            return Inconsistency("a row of '\(tree.table)': \(what)")
        }
        return tree.table == "instance"
            ? Inconsistency(instance: InstanceID(rawValue: number), what)
            : Inconsistency("row \(number) of '\(tree.table)': \(what)")
    }
}

extension IndexPlace {
    init(_ place: InspectionPlace) {
        guard let mark = place.mark else {
            self.init()
            return
        }
        // Proof: an inspection gets back only the places that it gave.
        guard let mark = mark as? IndexPlace else { preconditionFailure("the place is of another inspection") }
        self = mark
    }
}
