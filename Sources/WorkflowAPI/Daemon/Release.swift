/// What this build is.
public enum Release {
    /// The version that `wfd` and `wfctl` report (semantic versioning).
    public static let version = "0.1.0"
}
