import DaemonTesting
import Foundation
import Testing

/// Tests that a daemon takes new settings at `SIGHUP`: all that needs no restart, or nothing.
@Suite struct ReloadTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        let file = try folder.write("log-level: info\n", to: "wfd.yaml")
        daemon = try await Daemon(
            arguments: [
                "--config", file, "--database", folder.path("wfd.db"), "--listen", "127.0.0.1:0",
            ], database: folder.path("wfd.db"))
    }

    /// Writes the file, and waits until the daemon has logged the outcome of a number of reloads.
    private func reload(_ text: String, outcome: String, count: Int = 1) async throws -> [String] {
        _ = try folder.write(text, to: "wfd.yaml")
        daemon.program.signal(SIGHUP)
        return try await daemon.program.errorLines(containing: outcome, count: count)
    }

    private func status(host: String) async throws -> Int {
        var request = RawRequest.get("/livez")
        request.hosts = [host]
        return try await daemon.answer(to: request).status
    }

    @Test(.timeLimit(.minutes(20))) func aReloadTakesHostsAndTheLevelOfTheLog() async throws {
        #expect(try await status(host: "wfd.example") == 421)
        let lines = try await reload(
            "allow-host: [wfd.example]\nlog-level: debug\nplace: there\n", outcome: "the settings were reloaded")
        #expect(lines.first?.contains(#"changed="allow-host, log-level""#) == true, "\(lines)")
        #expect(try await status(host: "wfd.example") == 200)
        let waiting = try await daemon.program.errorLines(containing: "changed settings wait for a restart")
        #expect(waiting.first?.contains("settings=place") == true, "\(waiting)")
        _ = try await reload("log-level: notice\n", outcome: "the settings were reloaded", count: 2)
        #expect(try await status(host: "wfd.example") == 421)
        let end = try await daemon.stop()
        // The level of the end is not shown any more.
        #expect(end.end == .exited(0) && !end.errors.contains(" info wfd: [wfd] stopped"))
    }

    @Test(.timeLimit(.minutes(20))) func aFileWithAMistakeChangesNothing() async throws {
        let file = folder.path("wfd.yaml")
        let lines = try await reload(
            "allow-host: [wfd.example]\nlog-level: loud\n", outcome: "a mistake: no setting was changed")
        #expect(lines.first?.contains("mistake=\"\(file):2:12: 'loud' is no log level; ") == true, "\(lines)")
        #expect(try await status(host: "wfd.example") == 421)
        try FileManager.default.removeItem(atPath: file)
        daemon.program.signal(SIGHUP)
        _ = try await daemon.program.errorLines(containing: "Cannot read '\(file)': No such file or directory")
        #expect(try await status(host: "wfd.example") == 421)
        _ = try await reload("allow-host: [wfd.example]\n", outcome: "the settings were reloaded")
        #expect(try await status(host: "wfd.example") == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
