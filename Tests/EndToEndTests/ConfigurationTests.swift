import DaemonTesting
import Foundation
import Testing
import WorkflowClient

/// Tests the settings of the program: `wfd config`, the help, and starts with good and bad settings.
@Suite struct ConfigurationTests {
    private func wfd(_ arguments: String..., environment: [String: String] = [:]) async throws -> ProgramResult {
        try await Daemon.launch(arguments, environment: environment).result()
    }

    @Test(.timeLimit(.minutes(20))) func configShowsEachValueWithItsSourceAndLine() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("\nallow-host: [a.example, b.example]\nplace: here\n", to: "wfd.yaml")
        let result = try await wfd(
            "config", "--config", file, "--hold", environment: ["WFD_LOG_LEVEL": "debug", "HOME": "/home/ada"])
        #expect(result.end == .exited(0), "\(result.errors)")
        #expect(
            result.output == """
                file: \(file)
                SETTING          VALUE                                     SOURCE
                database         /home/ada/.local/state/wfd/wfd.db         default
                listen           unix:/home/ada/.local/state/wfd/wfd.sock  default
                metrics          -                                         default
                peer             -                                         default
                allow-host       a.example, b.example                      file, line 2
                tls-certificate  -                                         default
                tls-key          -                                         default
                without-tls      false                                     default
                access.unix      -                                         default
                anonymous        -                                         default
                clock            real                                      default
                hold             true                                      flag
                no-copy          false                                     default
                insecure         false                                     default
                place            here                                      file, line 3
                brake            10000/1m                                  default
                log-level        debug                                     environment
                allow-http       -                                         default
                exec             -                                         default
                secrets          -                                         default
                ca               -                                         default

                """)
    }

    @Test(.timeLimit(.minutes(20))) func checkReportsAllMistakesOfAFileAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("clock: fast\nlisten: [unix:/a, 80]\nhots: x\n", to: "wfd.yaml")
        let result = try await wfd("config", "check", file, environment: ["WFD_HOLD": "maybe"])
        #expect(result.end == .exited(65) && result.output == "")
        #expect(
            result.errors == """
                \(file):1:8: error: 'fast' is no clock; write real or virtual
                \(file):2:19: error: Cannot listen on '80': write unix:PATH or HOST:PORT
                \(file):3:1: error: unknown key 'hots'; 'wfd config example' has all keys

                """)
        let good = try await wfd("config", "check", folder.write("clock: real\n", to: "good.yaml"))
        #expect(good.end == .exited(0) && good.output == "" && good.errors == "")
        let missing = try await wfd("config", "check", folder.path("none.yaml"))
        #expect(missing.end == .exited(66))
        #expect(missing.errors == "error: Cannot read '\(folder.path("none.yaml"))': No such file or directory\n")
    }

    @Test(.timeLimit(.minutes(20))) func theExampleIsAFileThatChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let example = try await wfd("config", "example")
        #expect(example.output.contains("\n# Accept requests for this host too, beside the address and localhost; "))
        let file = try folder.write(example.output, to: "wfd.yaml")
        #expect(try await wfd("config", "check", file).end == .exited(0))
        let shown = try await wfd("config", "--config", file)
        #expect(shown.output.contains(" default\n") && !shown.output.contains("file, line"))
    }

    /// A mistake ends the start before anything is made.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("lisen: unix:/a\n", [:], 65, "wfd.yaml:1:1: error: unknown key 'lisen'; did you mean 'listen'?"),
            (
                "", ["WFD_LISEN": "unix:/a"], 64,
                "error: WFD_LISEN: there is no such setting; did you mean 'WFD_LISTEN'?"
            ),
            (
                "access:\n", [:], 65, "wfd.yaml:1:8: error: 'access' is empty: write 'unix' below it, or remove it"
            ),
            (
                "access:\n  unix:\n", [:], 65,
                "wfd.yaml:2:8: error: write a list, such as [{user: ops, role: operate}, {group: wfd-view, role: "
                    + "view}]; [] admits only root and the user of wfd"
            ),
            (
                "anonymous: view\n", [:], 65,
                "wfd.yaml:1:1: error: 'anonymous' has no effect: it is for TCP on loopback, and 'listen' has no such "
                    + "address; add one, such as 127.0.0.1:7433, or remove 'anonymous'"
            ),
            (nil, [:], 66, "wfd.yaml': No such file or directory"),
        ] as [(String?, [String: String], Int32, String)])
    func aStartWithAMistakeEndsWithItsCode(
        text: String?, environment: [String: String], code: Int32, message: String
    ) async throws {
        let folder = try TemporaryFolder()
        if let text { _ = try folder.write(text, to: "wfd.yaml") }
        let names = try folder.names()
        let result = try await Daemon.launch(
            ["--config", folder.path("wfd.yaml"), "--database", folder.path("wfd.db")], environment: environment
        ).result()
        #expect(result.end == .exited(code) && result.errors.hasSuffix(message + "\n"), "\(result.errors)")
        #expect(try folder.names() == names)
        guard code != 64 else { return }
        let check = try await wfd("config", "check", folder.path("wfd.yaml"))
        #expect(check.end == result.end && check.errors == result.errors)
    }

    /// The file of the service manager's folder, with a variable before it and a flag before both.
    @Test(.timeLimit(.minutes(20))) func aDaemonUsesTheSettingsOfAllSources() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("wfd.sock")
        _ = try folder.write("database: \(folder.path("file.db"))\nlisten: unix:/nowhere/wfd.sock\n", to: "wfd.yaml")
        let daemon = try await Daemon(
            arguments: ["--database", folder.path("flag.db")], database: folder.path("flag.db"),
            environment: ["CONFIGURATION_DIRECTORY": folder.path, "WFD_LISTEN": "unix:\(socket)"])
        #expect(daemon.address == .unix(path: socket))
        #expect(try folder.names().contains("flag.db"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// A setting that is true in the file or in a variable can be false for one start.
    @Test(.timeLimit(.minutes(20))) func aFlagSetsFalse() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("hold: true\nno-copy: true\nwithout-tls: true\n", to: "wfd.yaml")
        let shown = try await wfd(
            "config", "--config", file, "--no-hold", "--copy", "--with-tls", environment: ["WFD_HOLD": "true"])
        let variables = try await wfd(
            "config", "--config", file,
            environment: ["WFD_HOLD": "false", "WFD_NO_COPY": "false", "WFD_WITHOUT_TLS": "false"])
        for key in ["hold", "no-copy", "without-tls"] {
            let start = "\n" + key.padding(toLength: 17, withPad: " ", startingAt: 0)
            #expect(shown.output.contains(try Regex(start + "false +flag\n")), "\(shown)")
            #expect(variables.output.contains(try Regex(start + "false +environment\n")), "\(variables)")
        }
        let both = try await wfd("config", "--hold", "--no-hold")
        #expect(both.end == .exited(64))
        #expect(both.errors.hasPrefix("error: '--hold' contradicts '--no-hold': give one of them\n"), "\(both)")
    }

    /// Commands that need the daemon stopped find its database in the same way.
    @Test(.timeLimit(.minutes(20))) func otherCommandsFindTheDatabaseOfTheSettings() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.stop().end == .exited(0))
        let file = try folder.write("database: \(folder.path("wfd.db"))\n", to: "wfd.yaml")
        let result = try await wfd("clock", "accept", environment: ["WFD_CONFIG": file])
        #expect(result.output == "\(folder.path("wfd.db")): the clock is accepted\n", "\(result.errors)")
        let refused = try await wfd("clock", "accept", environment: ["WFD_CONFIG": folder.path("none.yaml")])
        #expect(refused.end == .exited(66))
    }

    /// Every flag of the help is a key of the example, with the same words.
    @Test(.timeLimit(.minutes(20))) func theHelpHasEverySetting() async throws {
        let help = Self.words(try await wfd("serve", "--help").output)
        let example = try await wfd("config", "example").output
        var keys: [String] = []
        for entry in example.split(separator: "\n\n").dropFirst() {
            let lines = entry.split(separator: "\n")
            let key = String(lines[1].dropFirst().prefix { $0 != ":" })
            // A map has no flag: only the file has settings with a structure.
            if lines.count > 2 { continue }
            keys.append(key)
            let sentence = Self.words(lines[0].dropFirst(2).replacing(" (reload)", with: ""))
            #expect(help.contains("--\(key) ") && help.contains(sentence), "\(key)")
        }
        #expect(keys.count == 20)
        let flags = Set(help.matches(of: /--([a-z-]+)/).map { String($0.1) })
        #expect(flags == Set(keys + ["config", "version", "help", "with-tls", "no-hold", "copy", "no-insecure"]))
    }

    private static func words(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
