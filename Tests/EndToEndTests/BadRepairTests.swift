import DaemonTesting
import Testing
import WorkflowJSON

/// Tests requests of operators that are refused: each gets a message, and nothing is half done.
@Suite struct BadRepairTests {
    private static let first = """
        id: tour
        initial: both
        context: {n: 0}
        on: {stuck: .spin, over: .end, again: {actions: {raise: again}}}
        states:
          both:
            type: parallel
            states:
              left: {initial: one, states: {one: {on: {go: two}}, two: {}}}
              right: {initial: one, states: {one: {}}}
          spin:
            exit: {raise: again}
            on: {leave: both}
          end: {type: final}
        """
    /// A version without the region on the right.
    private static let second = """
        id: tour
        initial: only
        context: {n: 0}
        states:
          only: {initial: one, states: {one: {}, two: {}}}
          end: {type: final}
        """

    private struct Case {
        let target: String
        let body: String
        let answer: String
    }

    private static let large = String(repeating: "x", count: 2 << 20)

    private static let cases = [
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.left": "only"}}"#,
            answer: "422 misfit: t does not fit version 2: both.right.one: version 2 has no state 'both.right.one'; "
                + "--map both.right.one=only.one"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.lefd": "only"}}"#,
            answer: "422 invalid-data: Version 1 of 'tour' has no state 'both.lefd'; did you mean 'both.left'?"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "map": {"both.left": "onli"}}"#,
            answer: "422 invalid-data: Version 2 of 'tour' has no state 'onli'; did you mean 'only'?"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 9}"#,
            answer: "404 machine-not-found: Machine 'tour' has no version 9 (latest is 2)"),
        Case(
            target: "t/migrate", body: #"{"reason": "r", "to": 2, "maps": {}}"#,
            answer: "400 invalid-request: Unknown field 'maps'"),
        Case(target: "t/reset", body: #"{"to": 0, "reason": "r"}"#, answer: "404 seq-not-found: "),
        Case(target: "t/reset", body: #"{"to": 9, "reason": "r"}"#, answer: "404 seq-not-found: "),
        Case(target: "hidden/reset", body: #"{"to": 2, "reason": "r"}"#, answer: "410 redacted: "),
        Case(target: "gone/reset", body: #"{"to": 1, "reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/migrate", body: #"{"to": 2, "reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/undo", body: #"{"reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "gone/redact", body: #"{"reason": "r"}"#, answer: "404 instance-not-found: "),
        Case(target: "t/undo", body: #"{"reason": "r"}"#, answer: "409 not-undoable: "),
        Case(target: "t/undo", body: #"{"reason": "r", "to": 1}"#, answer: "400 invalid-request: Unknown field 'to'"),
        Case(
            target: "t/redact", body: #"{"reason": "r", "seqs": "0"}"#,
            answer: "400 invalid-request: Field 'seqs' must name rows from 1 on, smaller numbers first, such as 3,7-9"),
        Case(target: "t/redact", body: #"{"reason": "r", "seqs": "9"}"#, answer: "404 seq-not-found: "),
        Case(
            target: "t/redact", body: #"{"reason": "r", "path": "n"}"#,
            answer: "400 invalid-request: Unknown field 'path'"),
        Case(target: "t/set", body: #"{"reason": "r", "set": {"n": "\#(large)"}}"#, answer: "413 payload-too-large: "),
        Case(target: "t/migrate", body: #"{"reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
        Case(target: "t/redact", body: #"{"reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
        Case(target: "t/reset", body: #"{"to": 1, "reason": "\#(large)"}"#, answer: "413 payload-too-large: "),
    ]

    @Test(.timeLimit(.minutes(20))) func eachIsToldAndNothingIsDone() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.first, to: "tour.yaml"))
        for name in ["t", "hidden", "gone", "stuck"] { _ = try await daemon.said("start", "tour", name) }
        _ = try await daemon.said("send", "t", "go")
        _ = try await daemon.said("send", "hidden", "go")
        _ = try await daemon.said("redact", "hidden", "--reason", "r")
        _ = try await daemon.said("send", "stuck", "stuck")
        _ = try await daemon.said("delete", "gone", "--reason", "r", "--confirm", "gone")
        // Applying it warns of states that only a migration reaches.
        _ = try await daemon.saidInTime("apply", folder.write(Self.second, to: "tour2.yaml"))
        let before = try DatabaseFile(daemon.database).dump()
        for wrong in Self.cases {
            let answer = try await daemon.answer(to: .post("/v1/instances/" + wrong.target, wrong.body))
            let problem = try answer.object
            let told = "\(answer.status) \(problem["type"]?.string ?? ""): \(problem["detail"]?.string ?? "")"
            #expect(told.hasPrefix(wrong.answer), "\(wrong.target) \(wrong.body.prefix(80)): \(told)")
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
        // A state that raises events for ever when it is left cannot be left by an event, but can be cancelled.
        let left = try await daemon.wfctl("send", "stuck", "leave")
        #expect(left.end == .exited(5) && left.errors.contains("did not settle within 1000 steps"), "\(left)")
        _ = try await daemon.said("cancel", "stuck", "--reason", "r")
        #expect(try await daemon.json("show", "stuck")["status"] == "cancelled")
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aPlanIsYAMLOrJSONAndItsMistakesAreTold() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.first, to: "tour.yaml"))
        for name in ["y", "j"] { _ = try await daemon.said("start", "tour", name) }
        _ = try await daemon.saidInTime("apply", folder.write(Self.second, to: "tour2.yaml"))
        let wrong = [
            ("", "it is empty"),
            ("map: {both.left: only}\nmaps: {}\n", "Unknown field 'maps'"),
            ("drop: [both.right]\ndrop: []\n", "2:1: "),
            ("map: {both.left: only\n", "2:1: not valid YAML: "),
            ("timers: soon\n", "Field 'timers' must be "),
        ]
        for (text, why) in wrong {
            let path = try folder.write(text, to: "wrong.yaml")
            let told = try await daemon.wfctl("migrate", "y", "--to", "2", "--plan", path, "--reason", "r")
            #expect(told.end == .exited(65), "\(text): \(told)")
            #expect(told.errors.contains("'\(path)' is no plan of a migration: \(why)"), "\(text): \(told)")
        }
        let yaml = try folder.write("map:\n  both.left: only  # all below too\n", to: "plan.yaml")
        let json = try folder.write(#"{"map": {"both.left": "only"}, "drop": ["both.right"]}"#, to: "plan.json")
        // Options given beside a plan are added to it.
        _ = try await daemon.said(
            "migrate", "y", "--to", "2", "--plan", yaml, "--drop", "both.right", "--reason", "r")
        _ = try await daemon.said("migrate", "j", "--to", "2", "--plan", json, "--reason", "r")
        for name in ["y", "j"] { #expect(try await daemon.json("show", name)["version"] == 2) }
        #expect(try await daemon.stop().end == .exited(0))
    }
}
