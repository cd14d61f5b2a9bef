import WorkflowAPI

/// Searches with a condition, for people.
enum SearchText {
    /// Returns a note about the instances for which the condition has no value; `nil` if there are none.
    static func note(for search: InstanceSearch) -> String? {
        guard let failed = search.failed else { return nil }
        let first = search.first.map { "; '\($0.instance)': \($0.message)" } ?? ""
        return "note: the expression has no value for \(BulkText.grouped(failed)) of "
            + "\(BulkText.grouped(search.examined)) instances, which are left out\(first)"
    }
}
