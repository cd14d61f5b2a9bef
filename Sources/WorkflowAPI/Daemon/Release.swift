internal import CRelease

/// This build.
public enum Release {
    /// The version that `wfd` and `wfctl` report (semantic versioning). Between two releases it is that of the next one
    /// with `-dev`, and the commit behind it.
    public static let version = number + (commit.isEmpty ? "" : "+" + commit)

    private static let number = "0.2.0-dev"
    private static let commit = String(cString: release_commit())
}
