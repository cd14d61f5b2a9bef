/// The release that this code belongs to.
public enum Release {
    /// The version by Semantic Versioning. Between two releases it is the next one's, with `-dev`.
    public static let version = "0.5.0-dev"

    /// Returns the version that a program reports. Between two releases it names the commit.
    ///
    /// - Parameter commit: The commit of the build; empty outside a repository.
    package static func version(of commit: String) -> String {
        version + (commit.isEmpty || !version.hasSuffix("-dev") ? "" : "+" + commit)
    }
}
