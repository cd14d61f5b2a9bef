import DaemonTesting
import Foundation
import Statechart
import Testing
import WorkflowSettings

/// Tests the messages about mistakes, to the letter.
@Suite struct SettingMistakesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns the lines about a file, without its path.
    private func lines(about text: String, table: [Setting] = Setting.all) throws -> [String] {
        let path = try folder.write(text, to: "wfd.yaml")
        let error = #expect(throws: SettingError.self) {
            try SettingSources(checking: path, table: table).resolve()
        }
        #expect(error?.isOfFile == true && error?.isWithoutFile == false)
        return error?.lines.map { $0.replacing(path + ":", with: "") } ?? []
    }

    @Test(arguments: [
        ("listen: 8080", "1:9: error: Cannot listen on '8080': write unix:PATH or HOST:PORT"),
        (
            "place: x\nlisten:\n  - unix:/a\n  - unix:/b\n  - unix:/a",
            "2:1: error: Cannot listen on 'unix:/a': it is named twice"
        ),
        ("listen: {a: b}", "1:9: error: 'listen' must be text, not a map"),
        ("listen: [[a]]", "1:10: error: 'listen' must be text, not a list"),
        ("metrics: []", "1:10: error: 'metrics' must be text, not a list"),
        ("allow-host: [a b]", "1:14: error: 'a b' is no host; write a name or an address without a port"),
        ("clock: fast", "1:8: error: 'fast' is no clock; write real or virtual"),
        ("clock: on", "1:8: error: 'on' is no clock; write real or virtual"),
        ("hold: yes", "1:7: error: 'hold' must be true or false, not text"),
        ("hold: \"true\"", "1:7: error: 'hold' must be true or false, not text"),
        ("no-copy: 1", "1:10: error: 'no-copy' must be true or false, not a number"),
        ("place: a b", "1:8: error: write 1 to 100 letters, digits and signs, without spaces"),
        ("place:", "1:7: error: 'place' must be text, not null"),
        ("place: true", "1:8: error: 'place' must be text, not true or false"),
        (
            "brake: 10",
            "1:8: error: '10' is no brake; write a number of steps and a delay, such as 10000/1m, or 0"
        ),
        ("brake: 1/5min", "1:8: error: "),
        (
            "log-level: loud",
            "1:12: error: 'loud' is no log level; write trace, debug, info, notice, warning, error, critical"
        ),
        (
            "allow-http: [all]",
            "1:14: error: 'all' is no range of addresses; write one as 10.1.0.0/16, ::1/128 or 127.0.0.1:8402"
        ),
        ("exec: [x]", "1:8: error: 'x' is no program; write NAME=/path/of/its/file"),
        ("exec: [x=y]", "1:8: error: 'x=y' is no program; write NAME=/path/of/its/file"),
        ("secrets: /nowhere", "1:10: error: '/nowhere' is no folder"),
        ("ca: /nowhere", "1:5: error: '/nowhere' has no certificates in PEM that can be read"),
        (
            "listen: 127.0.0.1:7777\nmetrics: localhost:7777",
            "2:1: error: Cannot listen on '127.0.0.1:7777': it is named twice"
        ),
        ("allow-hots: x", "1:1: error: unknown key 'allow-hots'; did you mean 'allow-host'?"),
        ("quota: 3", "1:1: error: unknown key 'quota'; 'wfd config example' has all keys"),
        ("config: x", "1:1: error: unknown key 'config'; 'wfd config example' has all keys"),
        ("- a", "1:1: error: the file must be a map, not a list"),
        ("text", "1:1: error: the file must be a map, not text"),
        ("place: a\nplace: b", "2:1: error: the key 'place' stands twice, first on line 1"),
        (
            "place: &a b",
            "1:8: error: anchors and aliases are not supported: write the value of '&a' out where it is used"
        ),
        ("place: !x b", "1:8: error: tags such as '!x' are not supported"),
        ("place: [a", "1:10: error: not valid YAML: while parsing a flow sequence that begins on line 1, "),
        ("place: a\n---\nplace: b", "2:1: error: the text must be one YAML document; another one begins here"),
    ])
    func aMistakeIsReportedAtItsPlace(text: String, line: String) throws {
        let lines = try lines(about: text)
        #expect(lines.count == 1 && lines.first?.hasPrefix(line) == true, "\(lines)")
    }

    @Test func allMistakesAreReportedInTheOrderOfTheText() throws {
        let text = """
            log-level: loud
            lisen: unix:/a
            exec: [a, b=/b, b=/c]
            hold: yes
            place: &x y
            log-level: info
            """
        #expect(
            try lines(about: text) == [
                "1:12: error: 'loud' is no log level; write trace, debug, info, notice, warning, error, critical",
                "2:1: error: unknown key 'lisen'; did you mean 'listen'?",
                "3:8: error: 'a' is no program; write NAME=/path/of/its/file",
                "3:17: error: 'b' is named twice",
                "4:7: error: 'hold' must be true or false, not text",
                "5:8: error: anchors and aliases are not supported: write the value of '&x' out where it is used",
                "6:1: error: the key 'log-level' stands twice, first on line 1",
            ])
    }

    @Test func mistakesOfAllSourcesAreReportedAtOnce() throws {
        let path = try folder.write("clock: fast\nplace: a b", to: "wfd.yaml")
        let sources = SettingSources(
            flags: ["exec": ["a=/a", "a=/b"]], file: path,
            environment: ["WFD_LISTN": "x", "WFD_HOLD": "maybe", "WFD_BOOT_ID": "b", "WFD_KEY": "k", "WFDX": ""])
        let error = #expect(throws: SettingError.self) { try sources.resolve() }
        #expect(
            error?.lines == [
                "\(path):1:8: error: 'fast' is no clock; write real or virtual",
                "\(path):2:8: error: write 1 to 100 letters, digits and signs, without spaces",
                "error: WFD_LISTN: there is no such setting; did you mean 'WFD_LISTEN'?",
                "error: WFD_HOLD: 'maybe' is neither true nor false",
                "error: --exec: 'a' is named twice",
            ])
    }

    /// The value does not count, but whoever removes the flag must not meet a surprise.
    @Test func aMistakeInAnOverriddenValueIsReported() throws {
        let path = try folder.write("clock: fast", to: "wfd.yaml")
        let sources = SettingSources(flags: ["clock": ["real"]], file: path, environment: [:])
        #expect(throws: SettingError.self) { try sources.resolve() }
    }

    @Test func manyMistakesAreCounted() throws {
        let text = (1...150).map { "key-\($0): 1\n" }.joined()
        let lines = try lines(about: text)
        #expect(lines.count == 101 && lines.last == "error: and 50 more mistakes")
    }

    @Test func aFileThatCannotBeReadIsReportedWithItsReason() throws {
        let large = try folder.write(String(repeating: "# comment\n", count: 7_000), to: "large.yaml")
        let binary = folder.path("binary.yaml")
        try Data([0x70, 0xFF]).write(to: URL(filePath: binary))
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, reason) in [
            (folder.path("none.yaml"), "No such file or directory"), (folder.path, "it is no file"),
            (pipe, "it is no file"), (large, "it has more than 65536 bytes"), (binary, "it is not UTF-8"),
        ] {
            let error = #expect(throws: SettingError.self) { try SettingSources(checking: path).resolve() }
            #expect(error?.lines == ["error: Cannot read '\(path)': \(reason)"])
            #expect(error?.isWithoutFile == true)
        }
    }
}
