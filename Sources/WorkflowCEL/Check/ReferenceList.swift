/// The variables that an expression reads, with the fields that follow them, without duplicates.
struct ReferenceList {
    private struct Key: Hashable {
        let variable: Int
        let fields: [String]
    }

    private var found: [Program.Reference] = []
    private var known: Set<Key> = []

    mutating func add(_ reference: Program.Reference) {
        let isNew = known.insert(Key(variable: reference.variable, fields: reference.fields)).inserted
        if isNew { found.append(reference) }
    }

    /// Returns the references in the order of their first occurrence in the text.
    func sorted() -> [Program.Reference] {
        found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
