import DaemonTesting
import HostSuite
import StateMachines
import Testing

/// Tests that `wfctl` and a daemon know the types in the text of a definition in Swift.
struct SwiftTypesTests {
    @Test func theTextBringsItsTypes() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]),
            database: folder.path("wfd.db"))
        let misspelt = Job.text.replacing("event.data.count >= 0", with: "event.data.cuont >= 0")
        let refused = try await daemon.wfctl("apply", folder.write(misspelt, to: "misspelt.json"))
        #expect(refused.end != .exited(0))
        #expect(refused.errors.contains("event 'begin' has no field 'cuont'; did you mean 'count'?"))

        let file = try folder.write(Job.text, to: "job.json")
        _ = try await daemon.said("apply", file)
        _ = try await daemon.said("start", "job", "typed")
        let text = try await daemon.wfctl("send", "typed", "begin", "--data", #"{"count": "x"}"#)
        #expect(text.errors.contains("The data of 'begin' does not fit: data.count is a string, not an int"))
        _ = try await daemon.said("send", "typed", "begin", "--data", #"{"count": 2}"#)
        #expect(try await daemon.said("generate", "swift", file).contains("case begin(count: Int)\n"))
        _ = try await daemon.stop()
    }
}
