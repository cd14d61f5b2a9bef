import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests messages and exit codes, to the letter.
struct CommandFailureTests {
    @Test func aRefusedEventTellsWhatIsAccepted() async {
        let problem = Problem(
            .eventNotAccepted, detail: "whatever", instance: "order-1042", machine: "order", state: ["packing"], seq: 5,
            accepted: ["packed"])
        let outcome = await CommandHarness().run("send", "order-1042", "submit", answers: [.problem(problem)])
        #expect(
            outcome
                == .init(
                    exit: 5, output: "",
                    errors: """
                        error: order-1042 does not accept 'submit' in state 'packing' (seq 5)
                          accepted now: packed

                        """))
    }

    @Test func severalStatesAndNoEventAreTold() async {
        let problem = Problem(
            .eventNotAccepted, detail: "whatever", instance: "o", state: ["a.x", "b.y"], seq: 5, accepted: [])
        let outcome = await CommandHarness().run("send", "o", "submit", answers: [.problem(problem)])
        #expect(
            outcome.errors == """
                error: o does not accept 'submit' in states 'a.x', 'b.y' (seq 5)
                  accepted now: nothing

                """)
    }

    @Test func aSuggestionIsAsked() async {
        let problem = Problem(
            .unknownEvent, detail: "Machine 'order' has no event 'subnit'", suggestion: "submit")
        let outcome = await CommandHarness().run("send", "o", "subnit", answers: [.problem(problem)])
        #expect(
            outcome
                == .init(
                    exit: 65, output: "",
                    errors: "error: Machine 'order' has no event 'subnit'\n  did you mean 'submit'?\n"))
    }

    @Test(arguments: ProblemType.allCases)
    func everyProblemHasItsExitCode(type: ProblemType) async {
        let outcome = await CommandHarness().run("show", "o", answers: [.problem(Problem(type, detail: "Because"))])
        let isOpen = [.overloaded, .draining].contains(type)
        var note = isOpen ? "  send it again later\n" : ""
        if type == .queueNotFound { note = "  '--new' accepts the name\n" }
        // wfctl knows better than the daemon where a token came from.
        let message = type == .unauthenticated ? TokenSourceTests.none : "Because"
        #expect(outcome == .init(exit: type.exitStatus.rawValue, output: "", errors: "error: \(message)\n" + note))
    }

    @Test func anUnreachableDaemonIsToldWithAHint() async {
        let failure = ScriptedTransport.Step.failure(
            .unreachable(.unix(path: "/run/test.sock"), reason: "there is no such socket"))
        let outcome = await CommandHarness().run("list", answers: [failure])
        #expect(
            outcome
                == .init(
                    exit: 69, output: "",
                    errors: """
                        error: Cannot reach wfd at 'unix:/run/test.sock': there is no such socket
                          is wfd running? --address or WFCTL_ADDRESS sets another address

                        """))
    }

    @Test(
        arguments: [
            (
                ["show", "o", "--address", "nowhere"], 64,
                "Cannot use the address 'nowhere': expected unix:PATH, https://HOST[:PORT], http://HOST:PORT or HOST:PORT"
            ),
            (
                ["send", "o", "e", "--data", "{"], 65,
                "The data of '--data' is not JSON: line 1, column 2: expected a key in double quotes, "
                    + "found the end of the text"
            ),
            (["send", "o", "e", "--data", "@no.json"], 66, "Cannot read 'no.json': No such file or directory"),
            (
                ["start", "m", "--data", "limit=5"], 65,
                "The data of '--data' is not JSON: line 1, column 1: expected a value, found 'l'\n"
                    + #"  it is written '{"limit":5}'"#
            ),
            (
                ["start", "m", "--data", "who=Ann"], 65,
                "The data of '--data' is not JSON: line 1, column 1: expected a value, found 'w'\n"
                    + #"  it is written '{"who":"Ann"}'"#
            ),
            (["start", "m", "--data", "[]"], 65, "The data of a start must be a map, not a list"),
            (["apply", "no.yaml"], 66, "Cannot read 'no.yaml': No such file or directory"),
            (["apply", "-", "-"], 64, "Standard input can be read only once: '-' is given twice"),
        ] as [([String], Int32, String)])
    func whatIsWrongBeforeAnythingIsSent(arguments: [String], exit: Int32, message: String) async {
        let transport = ScriptedTransport([])
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome == .init(exit: exit, output: "", errors: "error: \(message)\n"))
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        (["sned", "o"], "There is no verb 'sned'\n  did you mean 'send'?"),
        (["frobnicate"], "There is no verb 'frobnicate'\n  'wfctl --help' lists the verbs"),
        (["ls"], "There is no verb 'ls'\n  did you mean 'list'?"),
        (["ps"], "There is no verb 'ps'\n  did you mean 'list'?"),
        (["get", "o"], "There is no verb 'get'\n  did you mean 'show'?"),
        (["describe", "o"], "There is no verb 'describe'\n  did you mean 'show'?"),
        (["-o", "json", "shwo", "o"], "There is no verb 'shwo'\n  did you mean 'show'?"),
        (["stop", "o"], "There is no verb 'stop'\n  did you mean 'cancel'?"),
        (["pause", "o"], "There is no verb 'pause'\n  did you mean 'suspend'?"),
        (["satus", "o"], "There is no verb 'satus'\n  did you mean 'show'?"),
        (["sh"], "There is no verb 'sh'\n  did you mean 'show'?"),
        (["v"], "There is no verb 'v'\n  'wfctl --help' lists the verbs"),
        (["clock", "advance", "-1d"], "A clock only moves forward: '-1d' is negative"),
        (["help", "sned"], "There is no verb 'sned'\n  did you mean 'send'?"),
        (["help", "ls"], "There is no verb 'ls'\n  did you mean 'list'?"),
    ])
    func aMisspeltVerbIsSuggested(arguments: [String], message: String) async {
        let (outcome, _) = await CommandHarness().run(arguments, transport: ScriptedTransport([]))
        #expect(outcome == .init(exit: 64, output: "", errors: "error: \(message)\n"))
    }

    @Test(arguments: [
        (["send", "o"], "Missing expected argument '<event>'"),
        (["send", "o", "e", "--expect-seq", "x"], "The value 'x' is invalid for '--expect-seq <n>'"),
        (["send", "o", "e", "--dry-rum"], "Unknown option '--dry-rum'. Did you mean '--dry-run'?"),
        (["list", "--statu", "failed"], "Unknown option '--statu'. Did you mean '--status'?"),
        (["tail", "--machine", "order", "--limit", "1"], "Unknown option '--limit'"),
        (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
        (["list", "--limit", "0"], "'--limit' must be at least 1, not 0"),
        (
            ["list", "--status", "x"],
            "The value 'x' is invalid for '--status <running|done|failed|suspended|cancelled>': it must be "
                + "one of 'running', 'done', 'failed', 'suspended', 'cancelled'"
        ),
        (["history", "o", "--follow", "--reverse"], "'--follow' does not go with '--reverse'"),
        (
            ["history", "o", "--follow", "-o", "json"],
            "'--follow' prints rows as they come, and '-o json' one document; use '-o jsonl'"
        ),
        (["history", "o", "--after", "-1"], "'--after' must be at least 0, not -1"),
        (["send", "o", "e", "--expect-seq", "-1"], "'--expect-seq' must be at least 1, not -1"),
        (["retry", "o", "--expect-seq", "0"], "'--expect-seq' must be at least 1, not 0"),
        (["cancel", "o"], "'cancel' needs '--reason', which is recorded"),
        (["skip", "o"], "'skip' needs '--reason', which is recorded"),
        (["set", "o", "n=1"], "'set' needs '--reason', which is recorded"),
        (["set", "o", "--reason", "r"], "Nothing to change: give PATH=JSON or '--unset'"),
        (["set", "o", "n", "--reason", "r"], "'n' has no value; write PATH=JSON"),
        (["set", "o", "n=1", "n=2", "--reason", "r"], "'n' is set twice"),
        (["redact", "o"], "'redact' needs '--reason', which is recorded"),
        (
            ["redact", "o", "--seq", "9-1", "--reason", "r"],
            "'--seq' must name rows from 1 on, in ascending order, such as 3,7-9"
        ),
        (["suspend", "o", "--reason", ""], "'--reason' must have 1 to 1000 bytes"),
        (["reset", "o", "--to", "1"], "'reset' needs '--reason', which is recorded"),
        (["reset", "o", "--to", "0", "--reason", "r"], "'--to' must be at least 1, not 0"),
        (["start", "m", "--version", "-2"], "'--version' must be at least 1, not -2"),
        (["machine", "m", "--version", "0"], "'--version' must be at least 1, not 0"),
        (["replay", "o", "--to", "-1"], "'--to' must be at least 1, not -1"),
        (["list", "--limit", "-3"], "'--limit' must be at least 1, not -3"),
        (["history", "o", "--from", "0"], "'--from' must be at least 1, not 0"),
        (["history", "o", "--from", "2", "--after", "1"], "'--from' and '--after' exclude each other"),
        (["history", "o", "--limit", "-3"], "'--limit' must be at least 1, not -3"),
        (["timers", "--limit", "-3"], "'--limit' must be at least 1, not -3"),
        (
            ["replay", "--machine", "m", "--with", "f", "--version", "-1"],
            "'--version' must be at least 1, not -1"
        ),
        (["simulate", "-", "--script", "-"], "Standard input can be read only once: '-' is given twice"),
        (["machine"], "Missing expected argument '<name>'"),
    ])
    func wrongUsageEndsWith64(arguments: [String], message: String) async {
        let (outcome, _) = await CommandHarness().run(arguments, transport: ScriptedTransport([]))
        #expect(outcome.exit == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.split(separator: "\n").first.map(String.init) == "error: \(message)")
    }

    @Test func colourIsForTerminalsOnly() async {
        var harness = CommandHarness()
        harness.isTerminal = true
        let answers = [ScriptedTransport.Step.problem(Problem(.instanceNotFound, detail: "No\u{1B}[2J"))]
        #expect(await harness.run("show", "o", answers: answers).errors == "\u{1B}[1;31merror:\u{1B}[0m No\\u{1b}[2J\n")
        harness.variables["NO_COLOR"] = "1"
        #expect(await harness.run("show", "o", answers: answers).errors == "error: No\\u{1b}[2J\n")
    }

    /// `head -1` reads like this.
    @Test func whoReadsNoFurtherHasWhatItWanted() async {
        var harness = CommandHarness(files: ["order.yaml": Sample.definition])
        harness.writesRead = 0
        let page = ScriptedTransport.Step.value(Page(items: [Sample.instance("a")]))
        #expect(await harness.run("list", answers: [page]) == .init(exit: 0, output: "", errors: ""))
        #expect(await harness.run("send", "o", "pay", answers: [.value(Sample.sent)]).exit == 0)
        #expect(await harness.run("--help").exit == 0)
        // A verb that is not done yet, or that has a verdict to give, has failed.
        let applied = ScriptedTransport.Step.value(Sample.machine)
        let message = "error: The output was closed: the rest was not done\n"
        #expect(
            await harness.run("apply", "order.yaml", "order.yaml", answers: [applied, applied])
                == .init(exit: 1, output: "", errors: message))
        #expect(await harness.run("validate", "order.yaml") == .init(exit: 1, output: "", errors: message))
    }

    @Test func versionAndHelpAreData() async {
        let harness = CommandHarness()
        #expect(await harness.run("--version") == .init(exit: 0, output: "wfctl \(Release.version)\n", errors: ""))
        let help = await harness.run("send", "--help")
        #expect(help.exit == 0 && help.errors.isEmpty && help.output.hasPrefix("OVERVIEW: Send an event"))
        #expect(await harness.run().output.hasPrefix("OVERVIEW: Start, drive"))
        #expect(await harness.run("help", "list").output.hasPrefix("OVERVIEW: List instances."))
    }
}

struct AddressChoiceTests {
    private static let system = "/run/wfd/wfd.sock"

    @Test(
        arguments: [
            (["WFCTL_ADDRESS": "localhost:1", "XDG_RUNTIME_DIR": "/x"], [], "http://localhost:1"),
            (
                ["WFCTL_ADDRESS": "", "RUNTIME_DIRECTORY": "/a:/b", "XDG_RUNTIME_DIR": "/x"], [system],
                "unix:/a/wfd.sock"
            ),
            (["XDG_RUNTIME_DIR": "/x"], [], "unix:/x/wfd.sock"),
            (["XDG_RUNTIME_DIR": "/x"], [system], "unix:\(system)"),
            (["XDG_RUNTIME_DIR": "/x"], [system, "/x/wfd.sock"], "unix:/x/wfd.sock"),
            ([:], [system], "unix:\(system)"),
        ] as [([String: String], [String], String)])
    func theEnvironmentSaysWhereTheDaemonIs(variables: [String: String], sockets: [String], address: String) async {
        let files = Dictionary(uniqueKeysWithValues: sockets.map { ($0, "") })
        let harness = CommandHarness(files: files, variables: variables)
        let (_, addresses) = await harness.run(["show", "o"], transport: ScriptedTransport([]))
        #expect(addresses.map(\.description) == [address])
    }

    @Test(arguments: [
        ["show", "o", "--address", "a:1"], ["--address", "a:1", "show", "o"],
        ["--address=a:1", "-o", "json", "show", "o"], ["--address", "a:1", "token", "list"],
        ["--address", "a:1", "machine", "order"],
    ])
    func theOptionComesFirst(arguments: [String]) async {
        let (_, addresses) = await CommandHarness().run(arguments, transport: ScriptedTransport([]))
        #expect(addresses == [.tcp(host: "a", port: 1)])
    }

    @Test func withoutAnyHintThereIsAnError() async {
        let outcome = await CommandHarness(variables: [:]).run("show", "o")
        #expect(
            outcome
                == .init(
                    exit: 64, output: "",
                    errors: "error: Cannot tell where wfd listens: name its address with --address or WFCTL_ADDRESS, "
                        + "for example unix:/run/wfd/wfd.sock\n"))
    }
}
