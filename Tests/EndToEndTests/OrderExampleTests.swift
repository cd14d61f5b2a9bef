import DaemonTesting
import Testing
import WorkflowJSON

/// Tests the story of the tutorial: `order` of `Examples/`, a kill, and the history.
@Suite struct OrderExampleTests {
    @Test(.timeLimit(.minutes(20))) func anOrderGoesFromDraftToShippedThroughAKill() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("order"))
        _ = try await daemon.said("start", "order", "order-1042")
        let submitted = try await daemon.said("send", "order-1042", "submit", "--data", #"{"amount": 1250}"#)
        #expect(
            submitted == "order-1042: draft -> review.legal.pending, review.finance.pending   (seq 1 -> 2)\n")
        let lines = [
            (
                "legal.ok",
                "review.legal.pending, review.finance.pending -> review.legal.ok, review.finance.pending   (seq 2 -> 3)"
            ),
            ("finance.ok", "review.legal.ok, review.finance.pending -> awaiting_payment   (seq 3 -> 4)"),
        ]
        for (event, line) in lines {
            #expect(try await daemon.said("send", "order-1042", event) == "order-1042: \(line)\n")
        }
        let paid = try await daemon.said("send", "order-1042", "pay", "--data", #"{"card": "tok_9"}"#)
        #expect(paid == "order-1042: awaiting_payment -> packing   (seq 4 -> 5)\n")
        let refused = try await daemon.wfctl("send", "order-1042", "submit")
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: order-1042 does not accept 'submit' in state 'packing' (seq 5)
                  accepted now: packed

                """)

        let shown = try await daemon.json("show", "order-1042")
        let history = try await daemon.json("history", "order-1042")
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        #expect(try await daemon.json("show", "order-1042") == shown)
        #expect(try await daemon.json("history", "order-1042") == history)
        #expect(history.elements.map { $0["event"] } == ["init", "submit", "legal.ok", "finance.ok", "pay"])
        #expect(history.elements.last?["data"] == ["card": "tok_9"])

        #expect(
            try await daemon.said("send", "order-1042", "packed")
                == """
                order-1042: packing -> shipped   (seq 5 -> 6, done)
                  output: {"approvals":2,"paidWith":"tok_9"}

                """)
        #expect(try await daemon.json("show", "order-1042")["output"] == ["approvals": 2, "paidWith": "tok_9"])
        let finished = try await daemon.wfctl("send", "order-1042", "pay")
        #expect(finished.end == .exited(5))
        #expect(
            finished.errors
                == "error: order-1042, in state 'shipped' (seq 6), is done and accepts no more events\n")
    }

    @Test(.timeLimit(.minutes(20))) func aGuardThatSaysNoTellsWhatItRead() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let refused = try await daemon.wfctl("send", "order", "submit", "--data", #"{"amount": 0}"#)
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: order: no guard lets 'submit' in state 'draft' (seq 1) pass
                  rejected   draft, line 25: submit [event.data.amount > 0] -> review   (event.data.amount = 0)
                  accepted now: submit

                """)
        #expect(try await daemon.json("show", "order")["seq"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aSmallOrderIsNotShownToFinance() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let answer = try await daemon.json("send", "order", "submit", "--data", #"{"amount": 999}"#)
        #expect(answer["to"] == ["review.legal.pending", "review.finance.ok"])
        #expect(answer["context"]["amount"] == 999)
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (#"{"card": 9}"#, "data.card is an int, not a string"),
            (#"{"crad": "tok_9"}"#, "data.crad is no field of event 'pay'; did you mean 'card'?"),
            ("null", "data is null, not a map"),
        ])
    func dataOfAnotherTypeIsRefused(data: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let refused = try await daemon.wfctl("send", "order", "pay", "--data", data)
        #expect(refused.end == .exited(65))
        #expect(refused.errors == "error: The data of 'pay' does not fit: \(reason)\n  accepted now: submit\n")
    }

    @Test(.timeLimit(.minutes(20))) func anExpressionThatFailsUndoesTheEvent() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let refused = try await daemon.wfctl("send", "order", "submit", "--data", #"{"amount": "a lot"}"#)
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: 'submit' was undone: 'event.data.amount > 0' of state 'draft', line 25, failed: no such overload: \
                string > int; write int(event.data.amount)
                  accepted now: submit

                """)
        #expect(try await daemon.json("show", "order")["seq"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aDryRunExplainsEveryTransitionThatIsTried() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let explained = try await daemon.said(
            "send", "order", "submit", "--data", #"{"amount": 5}"#, "--dry-run", "--explain")
        #expect(
            explained == """
                order: draft -> review.legal.pending, review.finance.ok   (seq 1 -> 2, dry run: nothing was changed)
                  taken   draft, line 25: submit [event.data.amount > 0] -> review   (event.data.amount = 5)
                  taken   review.finance.pending, line 45: always [small] -> review.finance.ok   \
                (small = true, context.amount = 5)

                """)
        #expect(try await daemon.json("show", "order")["seq"] == 1)
    }
}
