/// The texts that name a database of PostgreSQL.
package enum DatabaseURL {
    /// Returns true for a URL, false for a path.
    package static func isURL(_ text: String) -> Bool { text.contains("://") }

    /// Returns true for a URL with a password.
    package static func hasPassword(_ text: String) -> Bool { isURL(text) && masked(text) != text }

    /// Returns a URL without its password, for messages and pages.
    package static func masked(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = String(rest[..<end])
        if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
            authority.replaceSubrange(authority.index(after: colon)..<at, with: "…")
        }
        let query = rest[end...].split(separator: "&", omittingEmptySubsequences: false).map { part in
            guard let name = part.firstRange(of: "password=") else { return String(part) }
            return part[..<name.upperBound] + "…"
        }
        return text[..<scheme.upperBound] + authority + query.joined(separator: "&")
    }
}
