import GRDB

extension SQLiteReading {
    package func inspectIndexes(after place: IndexPlace) async throws(StoreError) -> InspectedIndexes {
        try await readers.slice { database, budget in
            let trees = try SearchTree.all(database)
            guard place.tree < trees.count else { return InspectedIndexes() }
            var slice = InspectedIndexes()
            try slice.run(trees[place.tree], place, database, &budget)
            return slice
        }
    }
}

extension InspectedIndexes {
    /// One slice of one order, in one read transaction: what it leads to, or what leads to the table's rows.
    fileprivate mutating func run(
        _ tree: SearchTree, _ place: IndexPlace, _ database: Database, _ budget: inout SliceBudget
    ) throws {
        next = place.following()
        let columns = place.isRows ? tree.own : tree.columns
        let unique = place.isRows ? tree.own.count : tree.unique
        let sql = place.isRows ? tree.rows(after: place.last != nil) : tree.entries(after: place.last != nil)
        var select = try PreparedStatement(database, sql)
        for value in place.last ?? [] { select.bind(value) }
        var last = place.last
        try select.forEachRow { row in
            let values = columns.map { _ in row.value() }
            if let before = last, !before.prefix(unique).lexicographicallyPrecedes(values.prefix(unique)) {
                // Where it goes on from here nobody knows.
                misfits.append(Misfit("\(tree.name) is not in order"))
                return false
            }
            last = values
            if row.integer() == 0 {
                misfits.append(misfit(tree, place, Dictionary(zip(columns, values)) { a, _ in a }))
            }
            if budget.spend() { return true }
            next = place.with(values)
            return false
        }
    }

    private func misfit(_ tree: SearchTree, _ place: IndexPlace, _ values: [String: StoredValue]) -> Misfit {
        let what =
            place.isRows ? "\(tree.name) does not lead to it" : "\(tree.name) leads to it by what it does not have"
        guard case .integer(let number)? = values["rowid"] else { return Misfit("a row of '\(tree.table)': \(what)") }
        return tree.table == "instance"
            ? Misfit(instance: InstanceID(rawValue: number), what)
            : Misfit("row \(number) of '\(tree.table)': \(what)")
    }
}
