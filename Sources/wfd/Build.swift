import CRelease
import WorkflowAPI

/// This build of the program.
enum Build {
    static let version = Release.version(of: String(cString: release_commit()))
}
