import DaemonTesting
import Testing

/// Tests numbers in the row of `store` that once ended the daemon with an illegal instruction.
@Suite struct ImplausibleNumbersTests {
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("next_position", "9223372036854775807"), ("next_instance", "9223372036854775807"),
            ("last_ms", "-9223372036854775808"), ("generation", "9223372036854775807"),
        ])
    func aNumberIsRefusedByItsColumn(column: String, value: String) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        #expect(try await daemon.stop().end == .exited(0))
        let database = daemon.database
        try DatabaseFile(database).changeUnchecked("UPDATE store SET \(column) = \(value)")
        let damage = "the column '\(column)' of its table 'store' holds \(value), which no wfd writes"
        for arguments in [
            ["--database", database, "--listen", "unix:" + folder.path("wfd.sock")], ["verify", database],
            ["restore", database, "--database", folder.path("other.db"), "--dry-run"],
            ["clock", "accept", "--database", database],
        ] {
            let refused = try await Daemon.launch(arguments).result()
            #expect(refused.end == .exited(65), "\(refused)")
            let message =
                arguments[0] == "restore"
                ? "'\(database)' is damaged: \(damage)" : "Cannot open '\(database)': \(damage); restore a backup"
            #expect(refused.errors.contains(message), "\(refused)")
        }
    }
}
