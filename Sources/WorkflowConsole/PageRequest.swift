/// The request for a page.
package struct PageRequest: Sendable {
    /// The words of the path after `/console`, percent-decoded.
    package let words: [String]
    /// The parameters of the query that have a value: a form also sends the fields that nobody filled in.
    let query: [(name: String, value: String)]
    /// The path with its query, as the browser sent it.
    let target: String
    /// The key of the drawing that the browser shows already, in a request for parts; `nil` for none.
    let drawn: String?
    /// True if the browser has the page, and asks for its content alone.
    let isParts: Bool
    /// The word of the act that led to the page; `nil` for none.
    let done: String?
    /// The journal's last place before the page is made; a stream from there misses nothing. `nil` if it is unknown.
    package var cursor: String?
    /// The number of changes that were recorded outside of histories before the page is made.
    package var changes: Int64?

    /// The header of a request for parts, with the key of the drawing that is shown, or `-`.
    package static let partsHeader = "Wfd-Parts"

    /// - Parameters:
    ///   - words: The words of the path after `/console`, percent-decoded.
    ///   - query: The parameters of the query, percent-decoded.
    ///   - target: The path with its query, as the browser sent it.
    ///   - parts: The value of the header `Wfd-Parts`; `nil` for a whole page.
    package init(
        words: [String], query: [(name: String, value: String)], target: String, parts: String? = nil
    ) {
        (self.words, self.target) = (words, target)
        self.query = query.filter { !$0.value.isEmpty && $0.name != "done" }
        done = query.first { $0.name == "done" }?.value
        (isParts, drawn) = (parts != nil, parts)
    }

    /// Returns the values of a parameter.
    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// Returns the parameters without those of some names.
    func query(without names: String...) -> [(name: String, value: String)] {
        query.filter { !names.contains($0.name) }
    }
}
