import Foundation

/// Reads names and values as queries and forms have them (`application/x-www-form-urlencoded`).
enum FormText {
    /// The media type of a form's body.
    static let mediaType = "application/x-www-form-urlencoded"

    /// Returns the names and values, percent-decoded, in their order; `nil` for other text.
    static func items(of text: String) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let words = pair.compactMap { $0.replacing("+", with: "%20").removingPercentEncoding }
            guard words.count == pair.count, let name = words.first else { return nil }
            items.append((name, words.count > 1 ? words[1] : ""))
        }
        return items
    }
}
