import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests the comparison of machines' settings with their versions.
@Suite struct SettingInspectionTests {
    private func findings(_ directory: TemporaryDirectory) async throws -> [String] {
        var limits = StoreLimits()
        limits.sliceRows = 1
        let file = try SQLiteFile.open(at: directory.store, limits: limits)
        var place: InspectionPlace? = .start
        var found: [String] = []
        while let here = place {
            let slice = try await file.inspectCopies(after: here)
            found += slice.inconsistencies.map(\.message)
            place = slice.next
        }
        try file.close()
        return found
    }

    @Test func aSettingNeedsItsMachineAndTheVersionThatIsActive() async throws {
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let scribe = Scribe(writer)
        for name in ["order", "pay", "refund"] { scribe.apply(name) }
        var batch = scribe.take()
        batch.changedSettings = [
            MachineSetting(of: MachineKey("order", in: .default), active: 1),
            MachineSetting(
                of: MachineKey("pay", in: .default),
                suspension: .init(at: Timestamp(rawValue: 0), by: nil, reason: nil)),
            MachineSetting(of: MachineKey("refund", in: .default), retention: 5),
        ]
        try writer.commit(batch)
        try writer.close()
        #expect(try await findings(directory) == [])
        let file = RawFile(directory)
        try file.execute("UPDATE machine_setting SET active = 2 WHERE name = 'order'")
        try file.execute("UPDATE machine_setting SET name = 'paid' WHERE name = 'pay'")
        #expect(
            try await findings(directory) == [
                "something is set for version 2 of machine 'order', which is not there",
                "something is set for machine 'paid', which is not there",
            ])
    }
}
