/// The request for a page.
package struct PageRequest: Sendable {
    /// The words of the path after `/console`, percent-decoded.
    package let words: [String]
    /// The parameters of the query that have a value: a form also sends the fields that nobody filled in.
    let query: [(name: String, value: String)]
    /// The path with its query, as the browser sent it.
    let target: String

    /// - Parameters:
    ///   - words: The words of the path after `/console`, percent-decoded.
    ///   - query: The parameters of the query, percent-decoded.
    ///   - target: The path with its query, as the browser sent it.
    package init(words: [String], query: [(name: String, value: String)], target: String) {
        (self.words, self.target) = (words, target)
        self.query = query.filter { !$0.value.isEmpty }
    }

    /// Returns the values of a parameter.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// Returns the parameters without those of some names.
    func query(without names: String...) -> [(name: String, value: String)] {
        query.filter { !names.contains($0.name) }
    }
}
