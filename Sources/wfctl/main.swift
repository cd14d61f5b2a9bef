import CRelease
import Foundation
import WorkflowAPI
import WorkflowCommand

// Swift reads the arguments from /proc: without it every verb would be ignored.
guard !CommandLine.arguments.isEmpty else {
    FileHandle.standardError.write(
        Data("error: Cannot read the arguments: /proc is not mounted, and wfctl needs it\n".utf8))
    exit(70)
}
let arguments = Array(CommandLine.arguments.dropFirst())
let environment = CommandEnvironment.ofProcess(variables: ProcessInfo.processInfo.environment)
let version = Release.version(of: String(cString: release_commit()))
exit(await CommandLineRun(environment: environment, version: version)(arguments))
