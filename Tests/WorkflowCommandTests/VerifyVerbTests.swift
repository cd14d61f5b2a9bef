import Testing
import WorkflowClient
import WorkflowClientTesting

/// Tests the output of `verify` and `replay` about the daemon's lines.
struct VerifyVerbTests {
    private static let finding =
        #"{"finding":{"instance":"order-7","seq":5,"detail":"the digest does not fit what the row says"}}"#
    private static let counts =
        #"{"counts":{"instances":2,"events":9,"snapshots":0,"timers":1,"keys":3,"machines":1,"chainOnly":1,"#
        + #""differences":1,"seconds":1.25}}"#

    @Test func verifyPrintsFindingsAndCounts() async {
        let outcome = await CommandHarness().run(
            "verify", "--all", answers: [.lines([#"{"progress":{"done":1,"total":9}}"#, Self.finding, Self.counts])])
        #expect(
            outcome.output == """
                order-7, seq 5: the digest does not fit what the row says
                2 instances, 9 events, 0 snapshots, 1 timer, 3 keys, 1 machine version in 1s250ms
                1 of the instances: chain checked, not refolded (redacted, or rules of another release)
                1 difference

                """)
        #expect(outcome.exit == 1)
        #expect(outcome.errors == "")
    }

    /// Nothing can be counted that cannot be read.
    @Test func verifySaysWhatItLookedForWhereNothingCanBeRead() async {
        let counts =
            #"{"counts":{"instances":0,"events":0,"snapshots":0,"timers":0,"keys":0,"machines":0,"chainOnly":0,"#
            + #""differences":1,"seconds":0.003}}"#
        let finding = #"{"finding":{"instance":"o5","detail":"the index leads to another row"}}"#
        let one = await CommandHarness().run("verify", "o5", answers: [.lines([finding, counts])])
        #expect(
            one.output == """
                o5: the index leads to another row
                'o5' was looked up by its name, and nothing of it could be compared, in 3ms
                1 difference

                """)
        let whole = #"{"finding":{"detail":"page 3 cannot be read"}}"#
        let all = await CommandHarness().run("verify", "--all", answers: [.lines([whole, counts])])
        #expect(
            all.output == """
                page 3 cannot be read
                The whole database was to be compared, and nothing of it could be, in 3ms
                1 difference

                """)
    }

    @Test func verifyPrintsLines() async {
        let outcome = await CommandHarness().run(
            "verify", "order-7", "-o", "jsonl", answers: [.lines([Self.finding, Self.counts])])
        #expect(outcome == .init(exit: 1, output: Self.finding + "\n" + Self.counts + "\n", errors: ""))
    }

    @Test func verifyNeedsTheCounts() async {
        let outcome = await CommandHarness().run("verify", "--all", answers: [.lines([])])
        #expect(
            outcome
                == .init(exit: 1, output: "", errors: "error: The answer ended without a result\n"))
    }

    @Test func verifyTellsAProblemAfterTheFirstLine() async {
        let outcome = await CommandHarness().run(
            "verify", "--all",
            answers: [
                .lines([
                    Self.finding,
                    #"{"problem":{"type":"storage-unavailable","title":"Storage unavailable","status":503,"detail":"gone"}}"#,
                ])
            ])
        #expect(outcome.output == "order-7, seq 5: the digest does not fit what the row says\n")
        #expect(outcome.errors == "error: gone\n")
        #expect(outcome.exit == 75)
    }

    @Test func replayPassesTheDefinitionOn() async throws {
        let transport = ScriptedTransport([
            .lines([#"{"outcome":{"instance":"order-7","result":"same"}}"#])
        ])
        let harness = CommandHarness(files: ["new.yaml": Sample.definition])
        let (outcome, _) = await harness.run(["replay", "order-7", "--with", "new.yaml"], transport: transport)
        #expect(outcome.exit == 0)
        #expect(
            outcome.output == """
                INSTANCE               RESULT    SEQ    EVENT          WAS                WOULD BE           WHY
                order-7                same

                """)
        let request = try #require(transport.requests.first)
        #expect(request.target == "/v1/instances/order-7/replay")
        #expect(request.body?.mediaType == "application/yaml")
        #expect(request.body?.bytes == Array(Sample.definition.utf8))
    }

    @Test func replayOfAMachineEndsWithATable() async throws {
        let transport = ScriptedTransport([
            .lines([
                #"{"outcome":{"instance":"order-7","result":"differs","seq":4,"event":"pay","was":["a"],"#
                    + #""wouldBe":["b","c"],"detail":"it leads to another state"}}"#,
                #"{"counts":{"same":7,"differs":1,"refused":0,"events":9,"#
                    + #""groups":[{"event":"pay","differs":1,"refused":0}],"seconds":1.0}}"#,
            ])
        ])
        let harness = CommandHarness(files: ["new.yaml": Sample.definition])
        let (outcome, _) = await harness.run(
            ["replay", "--machine", "order", "--version", "2", "--with", "new.yaml"], transport: transport)
        #expect(outcome.exit == 1)
        #expect(
            outcome.output == """
                INSTANCE               RESULT    SEQ    EVENT          WAS                WOULD BE           WHY
                order-7                differs   4      pay            a                  b, c               it leads to another state
                RESULT    INSTANCES   AT
                same      7
                differs   1           pay 1
                refused   0

                """)
        #expect(transport.requests.first?.target == "/v1/machines/order/replay?version=2")
    }
}
