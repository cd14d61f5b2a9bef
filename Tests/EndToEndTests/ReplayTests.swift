import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `wfctl replay`: an instance as it was, and the results of histories with another definition.
@Suite struct ReplayTests {
    private static let definition = """
        id: order
        initial: draft
        context: {amount: 0}
        states:
          draft:
            on:
              submit: {target: review, actions: [{assign: {amount: event.data.amount}}]}
          review:
            on: {approve: {target: open, guard: context.amount < 1000}}
            after: {PT72H: rejected}
          open:
            on: {pay: packing}
          packing:
            entry: [{send: packed}]
            on: {packed: shipped}
          shipped: {type: final, output: {amount: context.amount}}
          rejected: {type: final}
        """

    /// Starts five orders of 10, 20, …; the first is shipped, the second approved, the others are rejected after 72
    /// hours.
    private func orders(in folder: TemporaryFolder) async throws -> Daemon {
        let socket = "unix:" + folder.path("wfd.sock")
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: [socket]) + ["--clock", "virtual"],
            database: folder.path("wfd.db"))
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "order.yaml"))
        for number in 1...5 {
            _ = try await daemon.said("start", "order", "order-\(number)")
            _ = try await daemon.said("send", "order-\(number)", "submit", "--data", #"{"amount":\#(number)0}"#)
        }
        _ = try await daemon.said("send", "order-1", "approve")
        _ = try await daemon.said("send", "order-1", "pay")
        _ = try await daemon.said("send", "order-2", "approve")
        _ = try await daemon.said("clock", "advance", "4d")
        return daemon
    }

    @Test(.timeLimit(.minutes(20))) func anInstanceIsShownAsItWas() async throws {
        let folder = try TemporaryFolder()
        let socket = try TemporaryFolder()
        let daemon = try await Daemon(in: folder, listen: ["unix:" + socket.path("s")])
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "order.yaml"))
        var seen = [try await daemon.json("start", "order", "order-1")["seq"]]
        var shown = [try await daemon.said("show", "order-1")]
        for arguments in [["submit", "--data", #"{"amount":10}"#], ["approve"]] {
            let answer = try await daemon.wfctl(["send", "order-1"] + arguments)
            #expect(answer.end == .exited(0))
            seen.append(try await daemon.json("show", "order-1")["seq"])
            shown.append(try await daemon.said("show", "order-1"))
        }
        #expect(seen == [1, 2, 3])
        for (seq, text) in zip(1..., shown) {
            #expect(try await daemon.said("replay", "order-1", "--to", "\(seq)") == text)
        }
        #expect(try await daemon.said("replay", "order-1") == shown.last)
        let beyond = try await daemon.wfctl("replay", "order-1", "--to", "4")
        #expect(beyond.end == .exited(4))
        #expect(beyond.errors == "error: Instance 'order-1' has no seq 4 (latest is 3)\n")
        let unknown = try await daemon.wfctl("replay", "ordr-1")
        #expect(unknown.end == .exited(4))
        #expect(unknown.errors == "error: There is no instance 'ordr-1'\n  did you mean 'order-1'?\n")
    }

    @Test(.timeLimit(.minutes(20))) func theStepsAreTold() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await orders(in: folder)
        let lines = try await daemon.said("replay", "order-1", "--trace").split(separator: "\n").map(String.init)
        try #require(lines.count(where: { !$0.hasPrefix(" ") }) == 5)
        #expect(lines[0].hasSuffix(#"  started  init: draft   {"amount":0}"#), "\(lines[0])")
        #expect(
            lines[4...7] == [
                "    submit: draft -> review (line 7)", "      exit draft", "      line 7: assign amount = 10",
                "      enter review",
            ])
        #expect(lines.contains { $0.hasSuffix(#"  sent  packed: shipped (done {"amount":10})   {"amount":10}"#) })
        let steps = try await daemon.json("replay", "order-3", "--trace", "--to", "2").elements
        try #require(steps.map { $0["configuration"] } == [["draft"], ["review"]])
        #expect(steps[1]["microsteps"].elements[0]["actions"].elements[0]["text"] == "assign amount = 30")
        let one = try await daemon.json("replay", "order-3", "--trace", "--from", "2", "--to", "2").elements
        #expect(one == [steps[1]])
        let beyond = try await daemon.wfctl("replay", "order-3", "--trace", "--from", "9")
        #expect(beyond.errors == "error: Instance 'order-3' has no seq 9 (latest is 3)\n")
    }

    @Test(.timeLimit(.minutes(20))) func anotherDefinitionIsTried() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await orders(in: folder)
        let same = try folder.write(Self.definition, to: "same.yaml")
        #expect(try await daemon.json("replay", "order-1", "--with", same)["result"] == "same")
        let strict = try folder.write(
            Self.definition.replacing("context.amount < 1000", with: "context.amount < 15")
                .replacing("PT72H", with: "PT5H"), to: "strict.yaml")
        let one = try await daemon.wfctl("replay", "order-2", "--with", strict, "-o", "jsonl")
        #expect(one.end == .exited(1))
        #expect(
            one.output == """
                {"outcome":{"instance":"order-2","result":"refused","seq":3,"event":"approve","detail":"'approve' was \
                rejected: guard 'context.amount < 15' on line 9 is false (context.amount = 20)"}}

                """)
        let all = try await daemon.wfctl("replay", "--machine", "order", "--with", strict)
        #expect(all.end == .exited(1))
        #expect(all.errors == "")
        #expect(
            all.output.hasSuffix(
                """
                RESULT    INSTANCES   AT
                same      1
                differs   3           after.PT72H.review 3
                refused   1           approve 1

                """), "\(all.output)")
        let unchanged = try await daemon.said("replay", "--machine", "order", "--with", same)
        #expect(unchanged.hasSuffix("same      5\ndiffers   0\nrefused   0\n"), "\(unchanged)")
        // The replays have written nothing.
        #expect(try await daemon.saidInTime("verify", "--all").contains("5 instances, 17 events, "))
        let unknown = try await daemon.wfctl("replay", "--machine", "ordr", "--with", same)
        #expect(unknown.end == .exited(4))
        #expect(unknown.errors == "error: There is no machine 'ordr'\n  did you mean 'order'?\n")
    }

    @Test(.timeLimit(.minutes(20))) func mistakesAreNamed() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let broken = try folder.write("id: order\nstates: {}\n", to: "broken.yaml")
        let mistakes = try await daemon.wfctl("replay", "order-1", "--with", broken)
        #expect(mistakes.end == .exited(65))
        #expect(mistakes.errors.contains("error: Cannot replay with '\(broken)': the definition has mistakes\n"))
        for arguments in [
            ["replay"], ["replay", "a", "--machine", "m"], ["replay", "--machine", "m"],
            ["replay", "a", "--version", "1"],
            ["replay", "a", "--with", "f", "--trace"], ["replay", "a", "--to", "0"], ["verify"],
            ["replay", "a", "--from", "2"], ["replay", "a", "--trace", "--from", "3", "--to", "2"],
            ["verify", "a", "--all"],
        ] {
            #expect(try await daemon.wfctl(arguments).end == .exited(64))
        }
    }
}
