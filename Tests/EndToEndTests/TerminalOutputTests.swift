import DaemonTesting
import Foundation
import Testing

/// Tests the programs on a real terminal, and in a pipe that is closed.
@Suite struct TerminalOutputTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        _ = try await daemon.said("send", "order", "submit", "--data", #"{"amount": 1250}"#)
        for event in ["legal.ok", "finance.ok"] { _ = try await daemon.said("send", "order", event) }
        _ = try await daemon.said("send", "order", "pay", "--data", #"{"card": "tok\u202e\u2028\u007f\u009b"}"#)
    }

    private func shown(
        _ arguments: String..., columns: UInt16, environment: [String: String] = [:]
    ) async throws -> [String] {
        let usual = ["WFCTL_ADDRESS": "\(daemon.address)", "TERM": "xterm", "NO_COLOR": ""]
        let variables = usual.merging(environment) { $1 }
        let (end, text) = try await PseudoTerminal.run(
            Programs.path("wfctl"), arguments, environment: Programs.environment(variables), columns: columns)
        #expect(end == .exited(0), "\(text)")
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [80, 132] as [UInt16])
    func aHistoryFitsARealTerminal(columns: UInt16) async throws {
        let lines = try await shown("history", "order", columns: columns, environment: ["NO_COLOR": "1"])
        #expect(lines.count == 6 && lines.allSatisfy { $0.count <= Int(columns) }, "\(lines)")
        let narrow = try await shown(
            "history", "order", columns: columns, environment: ["COLUMNS": "70", "NO_COLOR": "1"])
        #expect(narrow.allSatisfy { $0.count <= 70 }, "\(narrow)")
        let wide = try await shown("history", "order", "--wide", columns: columns)
        #expect(wide.contains { $0.count > Int(columns) })
    }

    @Test(.timeLimit(.minutes(20))) func aRealTerminalHasColoursAndNothingUnsafe() async throws {
        let lines = try await shown("history", "order", columns: 300)
        #expect(lines[1].contains("\u{1B}[32mstarted\u{1B}[0m"))
        #expect(lines[5].contains(#"{"card":"tok\u{202e}\u{2028}\u{7f}\u{9b}"}"#), "\(lines)")
        let json = try await shown("history", "order", "-o", "jsonl", columns: 300)
        #expect(json[4].contains(#""card":"tok\u202e\u2028\u007f\u009b""#), "\(json)")
    }

    /// `wfctl list
    /// head -1`, with more output than a pipe holds.
    @Test(.timeLimit(.minutes(20))) func headEndsAListWithoutAnError() async throws {
        // A pipe has 64 KiB; the names are as long as names may be.
        for number in 100..<600 {
            let name = String(repeating: "i", count: 196) + "-\(number)"
            _ = try await daemon.answer(to: .post("/v1/instances", #"{"machine": "order", "instance": "\#(name)"}"#))
        }
        let wfctl = try Programs.path("wfctl")
        for arguments in ["list", "list -o jsonl"] {
            let command = "{ '\(wfctl)' \(arguments); echo \"exit $?\" >&2; } | head -1"
            let result = try await RunningProgram(
                "/bin/sh", ["-c", command],
                environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"])
            ).result()
            #expect(result.errors == "exit 0\n", "\(arguments): \(result.errors)")
        }
    }

    /// The output ends with the instance, at once.
    @Test(.timeLimit(.minutes(20))) func aFollowedHistoryEndsWithItsInstance() async throws {
        let follow = try RunningProgram(
            Programs.path("wfctl"), ["history", "order", "--follow", "--limit", "2"],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        _ = try await daemon.said("send", "order", "packed")
        let result = try await follow.result()
        #expect(result.end == .exited(0) && result.errors.isEmpty)
        let events = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init)[3] }
        // The last event may come before the newest rows are read or after.
        #expect(
            events == ["EVENT", "finance.ok", "pay", "packed"] || events == ["EVENT", "pay", "packed"], "\(events)")
        let again = try await daemon.said("history", "order", "--follow", "--after", "5")
        #expect(again.split(separator: "\n").count == 2)
    }

    /// A path is untrusted text, and so are the parts of a command line that the parser repeats.
    @Test(.timeLimit(.minutes(20))) func theDaemonWritesNothingUnsafe() async throws {
        let place = try folder.makeFolder("a\u{202E}b\u{7F}c\u{2028}d")
        let other = try await Daemon(
            arguments: Daemon.arguments(database: place + "/wfd.db", listen: ["unix:" + folder.path("o.sock")]),
            database: place + "/wfd.db")
        let log = try await other.stop().errors
        #expect(log.contains(#"a\u202eb\u007fc\u2028d/wfd.db"#), "\(log)")
        let wfd = try Programs.path("wfd")
        for (arguments, code) in [
            (["verify", place + "/nothing"], 73), (["--\u{202E}\u{9B}"], 64), (["restore", place], 73),
        ] as [([String], Int32)] {
            let result = try await RunningProgram(
                wfd, arguments, environment: Programs.environment(["STATE_DIRECTORY": folder.path("s")])
            ).result()
            #expect(result.end == .exited(code) && result.errors.contains(#"\u{202e}"#), "\(result)")
            #expect(!result.errors.contains("\u{202E}") && !result.errors.contains("\u{7F}"), "\(result)")
        }
    }
}
