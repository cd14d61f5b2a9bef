import DaemonTesting
import Logging
import Synchronization
import Testing
import WorkflowServer
import WorkflowSettings

/// Tests that a reload takes all that needs no restart, or nothing.
@Suite struct SettingReloadTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description = "it does not fit"
    }

    @Test func allThatNeedsNoRestartIsTakenAndTheRestIsNamed() throws {
        let stage = try Stage("allow-host: a.example\nplace: one\n")
        try stage.reload("allow-host: b.example\nlog-level: debug\nplace: two\nhold: true\n")
        #expect(stage.hosts == ["b.example"])
        #expect(
            stage.log.lines == [
                "notice: the settings were reloaded changed=allow-host, log-level",
                "warning: changed settings wait for a restart settings=hold, place",
            ])
        // The waiting setting still waits; the reloaded one has not changed since.
        try stage.reload("allow-host: b.example\nlog-level: debug\nplace: two\n")
        #expect(
            stage.log.lines.suffix(2) == [
                "notice: the settings were reloaded changed=nothing",
                "warning: changed settings wait for a restart settings=place",
            ])
        // Back to the file of the start: nothing waits.
        try stage.reload("allow-host: a.example\nplace: one\n")
        #expect(stage.hosts == ["a.example"])
        #expect(stage.log.lines.last == "notice: the settings were reloaded changed=allow-host, log-level")
    }

    @Test func aFileWithAMistakeChangesNothing() throws {
        let stage = try Stage("allow-host: a.example\n")
        try stage.reload("allow-host: b.example\nlog-level: loud\nplce: x\n")
        #expect(stage.hosts == ["a.example"])
        #expect(
            stage.log.lines == [
                "error: a mistake: no setting was changed mistake=\(stage.path):2:12: 'loud' is no log level; "
                    + "write trace, debug, info, notice, warning, error, critical",
                "error: a mistake: no setting was changed mistake=\(stage.path):3:1: unknown key 'plce'; "
                    + "did you mean 'place'?",
            ])
    }

    @Test func whatOneTakerRefusesNoneTakes() throws {
        let stage = try Stage("place: one\n", second: { _ in throw Refusal() })
        try stage.reload("allow-host: b.example\n")
        #expect(stage.hosts == [])
        #expect(stage.log.lines == ["error: a mistake: no setting was changed mistake=it does not fit"])
    }

    /// A flag still comes before the file.
    @Test func aFlagIsNotReloaded() throws {
        let stage = try Stage("place: one\n", flags: ["allow-host": ["a.example"]])
        try stage.reload("allow-host: b.example\n")
        #expect(stage.hosts == ["a.example"])
    }

    /// A daemon's settings, and what it took of them.
    private final class Stage: Sendable {
        let path: String
        let log = Lines()
        private let folder: TemporaryFolder
        private let reload: SettingReload
        private let box = Box()

        init(
            _ text: String, flags: [String: [String]] = [:], second: @escaping SettingTaker = { _ in {} }
        ) throws {
            folder = try TemporaryFolder()
            path = try folder.write(text, to: "wfd.yaml")
            let sources = SettingSources(flags: flags, file: path, environment: [:])
            let started = try sources.resolve()
            box.hosts.withLock { $0 = started.settings.allowedHosts.map(\.text) }
            reload = SettingReload(
                sources: sources, started: started,
                takers: [
                    { [box] settings in { box.hosts.withLock { $0 = settings.allowedHosts.map(\.text) } } }, second,
                ],
                logger: Logger(label: "test") { [log] _ in log })
        }

        var hosts: [String] { box.hosts.withLock { $0 } }

        func reload(_ text: String) throws {
            _ = try folder.write(text, to: "wfd.yaml")
            reload.run()
        }
    }

    private final class Box: Sendable {
        let hosts = Mutex<[String]>([])
    }
}

/// A log that keeps its lines.
private final class Lines: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).map { " \($0.key)=\($0.value)" }.joined()
        kept.withLock { $0.append("\(event.level): \(event.message)\(fields)") }
    }
}
