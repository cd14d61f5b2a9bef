import DurableMachines
import Seeds
import StateMachines
import Testing
import ThreadTesting

/// The example `packer`, killed while its worker has a task.
@Suite(.tags(.heavy)) struct KilledPackerTests {
    @Test(.timeLimit(.minutes(20))) func theTaskIsDoneByAnotherAttempt() async throws {
        let killed = try await KilledExample("packer", after: "packing, attempt 1", count: 1)
        let begun = killed.output.split(separator: "\n")
        let lines = try await killed.startedAgain().split(separator: "\n")
        // A machine so busy that a lease ends between two signs of life takes one attempt more.
        let attempts = begun + lines.dropLast()
        #expect(lines.count >= 2)
        #expect(attempts == attempts.indices.map { "packing, attempt \($0 + 1)" })
        #expect(lines.last == "packing -> packed   (seq 1 -> 2)")

        let host = try await FileHost.open(killed.file)
        let parcel = try await host.instance(Parcel.self, "parcel-1").read()
        #expect(parcel.state == .packed)
        #expect(parcel.context.receipt?.weight == 8)
        #expect(parcel.seq == 2)
        try await host.close()
    }
}
