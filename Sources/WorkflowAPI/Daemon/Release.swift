/// The release that this code belongs to.
public enum Release {
    /// Semantic versioning. Between two releases it is the next one's, with `-dev`.
    public static let version = "0.2.0-dev"

    /// The version that a program reports of itself.
    /// - Parameter commit: The commit behind it; empty outside a repository.
    package static func version(of commit: String) -> String { version + (commit.isEmpty ? "" : "+" + commit) }
}
