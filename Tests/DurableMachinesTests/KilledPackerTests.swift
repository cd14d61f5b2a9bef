import DaemonTesting
import DurableMachines
import Glibc
import Seeds
import StateMachines
import Testing
import ThreadTesting

/// The example `packer`, killed while its worker has a task.
@Suite(.tags(.heavy)) struct KilledPackerTests {
    @Test(.timeLimit(.minutes(20))) func theTaskIsDoneByAnotherAttempt() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("app.db")
        let first = try RunningProgram(Programs.path("packer"), [file], environment: Programs.environment([:]))
        _ = try await first.outputLines(containing: "packing, attempt 1", count: 1)
        first.signal(SIGKILL)
        #expect(try await first.result().end == .killed(by: SIGKILL))

        let second = try RunningProgram(Programs.path("packer"), [file], environment: Programs.environment([:]))
        let result = try await second.result()
        #expect(result.end == .exited(0))
        #expect(result.output == "packing, attempt 2\npacking -> packed   (seq 1 -> 2)\n")

        let host = try await FileHost.open(file)
        let parcel = try await host.instance(Parcel.self, "parcel-1").read()
        #expect(parcel.state == .packed)
        #expect(parcel.context.receipt?.weight == 8)
        #expect(parcel.seq == 2)
        try await host.close()
    }
}
