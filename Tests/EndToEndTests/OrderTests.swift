import DaemonTesting
import JSON
import Testing

/// The story of the README: `order` of `Examples/`, a kill, and the history.
@Suite struct OrderTests {
    @Test(.timeLimit(.minutes(1))) func anOrderGoesFromDraftToShippedThroughAKill() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("order"))
        _ = try await daemon.said("start", "order", "order-1042")
        let lines = [
            ("submit", "draft -> review.legal.pending, review.finance.pending   (seq 1 -> 2)"),
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
                == "order-1042: packing -> shipped   (seq 5 -> 6, done)\n")
        let finished = try await daemon.wfctl("send", "order-1042", "pay")
        #expect(finished.end == .exited(5))
        #expect(
            finished.errors
                == "error: order-1042, in state 'shipped' (seq 6), is done and accepts no more events\n")
    }
}
