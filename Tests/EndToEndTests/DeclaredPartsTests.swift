import DaemonTesting
import Testing
import WorkflowJSON

/// Tests a definition's declarations of data and states: types of the context and of events' data, and tags.
@Suite struct DeclaredPartsTests {
    private static let definition = """
        id: loan
        initial: idle
        tags: ledger
        context: {amount: 0.0, customer: null, prices: [], place: {street: Elm}}
        types:
          context: {amount: double, customer: string, prices: list(double), place: {street: string, zip: optional(int)}}
        events:
          pay: {data: {card: string, amount: double, note: optional(string)}}
        states:
          idle:
            tags: [quiet, 5]
            on:
              pay: {target: working, actions: {assign: {amount: event.data.amount}}}
              keep: {actions: {assign: {customer: event.data}}}
          working:
            type: parallel
            tags: busy
            onDone: closed
            states:
              legal:
                tags: [law, busy]
                initial: open
                states:
                  open: {tags: waiting, on: {legal.ok: ok}}
                  ok: {type: final, tags: checked}
              money:
                initial: open
                states:
                  open:
                    tags: [waiting, slow]
                    initial: counting
                    states: {counting: {tags: deep, on: {paid: "#paid"}}}
                  ok: {type: final, id: paid}
          closed: {type: final, tags: quiet}
        """

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "loan.yaml"))
    }

    /// Expects a refusal by the API with 422 `invalid-data`, and by `wfctl` with 65. Both give the reason, and nothing
    /// changes.
    private func expectRefusal(_ post: RawRequest, _ arguments: [String], _ message: String) async throws {
        let answer = try await daemon.answer(to: post)
        #expect(answer.status == 422)
        #expect(try answer.object["type"] == "invalid-data")
        #expect(try answer.object["detail"] == .string(message))
        let result = try await wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        #expect(result.end == .exited(65), "\(result)")
        #expect(result.errors.hasPrefix("error: \(message)\n"))
        #expect(result.output.isEmpty)
    }

    private static let starts = [
        (#"{"customer": 5}"#, "customer is an int, not a string"),
        (#"{"amount": "1"}"#, "amount is a string, not a double"),
        (#"{"amount": null}"#, "amount is null, not a double"),
        (#"{"prices": [1, "2"]}"#, "prices[1] is a string, not a double"),
        (#"{"place": {"zip": 12345}}"#, "place.street is missing"),
        (#"{"place": {"street": "Elm", "zap": 1}}"#, "place.zap is no field of context.place; did you mean 'zip'?"),
    ]

    @Test(.timeLimit(.minutes(20))) func aStartWhoseDataDoesNotFitTheTypesIsRefused() async throws {
        for (data, reason) in Self.starts {
            try await expectRefusal(
                .post("/v1/instances", #"{"machine": "loan", "instance": "l", "data": \#(data)}"#),
                ["start", "loan", "l", "--data", data], "The data does not fit the context of 'loan': \(reason)")
        }
        #expect(try await daemon.wfctl("show", "l").end == .exited(4))
    }

    private static let events = [
        ("null", "data is null, not a map"),
        (#"{"card": "tok_9"}"#, "data.amount is missing"),
        (#"{"card": 9, "amount": 1}"#, "data.card is an int, not a string"),
        (#"{"card": "tok_9", "amount": true}"#, "data.amount is a bool, not a double"),
        (#"{"card": "tok_9", "amount": 1, "not": "x"}"#, "data.not is no field of event 'pay'; did you mean 'note'?"),
    ]

    @Test(.timeLimit(.minutes(20))) func anEventWhoseDataDoesNotFitIsRefused() async throws {
        _ = try await daemon.said("start", "loan", "l")
        for (data, reason) in Self.events {
            let message = "The data of 'pay' does not fit: \(reason)"
            let body = #"{"event": "pay", "data": \#(data)}"#
            try await expectRefusal(
                .post("/v1/instances/l/events", body), ["send", "l", "pay", "--data", data], message)
            try await expectRefusal(
                .post("/v1/instances/l/events?dryRun=true", body), ["send", "l", "pay", "--data", data, "--dry-run"],
                message)
        }
        #expect(try await daemon.json("show", "l")["seq"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aLineOfABatchWhoseDataDoesNotFitIsRefused() async throws {
        _ = try await daemon.said("start", "loan", "l")
        let message = "The data of 'pay' does not fit: data.amount is missing"
        let line = #"{"instance": "l", "event": "pay", "data": {"card": "tok_9"}}"#
        let batch = try await daemon.answer(to: .post("/v1/events", line, as: "application/x-ndjson"))
        #expect(batch.status == 200)
        let answer = try JSONReader.value(from: batch.text)
        #expect(answer["status"] == 422 && answer["error"]["type"] == "invalid-data")
        #expect(answer["error"]["detail"] == .string(message))
        let sent = try await daemon.wfctl("send", "--batch", folder.write(line + "\n", to: "batch"), "--run", "r")
        #expect(sent.end == .exited(65), "\(sent)")
        #expect(sent.errors.hasPrefix("line 1: \(message)\n"), "\(sent)")
        #expect(try await daemon.json("show", "l")["seq"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func whatFitsIsKeptInTheTypesThatAreDeclared() async throws {
        let data = #"{"amount": 3, "customer": "Ann", "prices": [7], "place": {"street": "Oak", "zip": 9}}"#
        _ = try await daemon.said("start", "loan", "l", "--data", data)
        let context = try await daemon.json("show", "l")["context"]
        #expect(
            JSONWriter.string(context)
                == #"{"amount":3.0,"customer":"Ann","place":{"street":"Oak","zip":9},"prices":[7.0]}"#)
        _ = try await daemon.said("send", "l", "pay", "--data", #"{"card": "tok_9", "amount": 4}"#)
        #expect(JSONWriter.string(try await daemon.json("show", "l")["context"]["amount"]) == "4.0")
        let sent = try await daemon.json("history", "l").elements.last?["data"] ?? .null
        #expect(JSONWriter.string(sent) == #"{"amount":4,"card":"tok_9"}"#, "the history says what was sent")
    }

    @Test(.timeLimit(.minutes(20))) func anActionWhoseValueDoesNotFitUndoesTheEvent() async throws {
        _ = try await daemon.said("start", "loan", "l")
        let refused = try await daemon.wfctl("send", "l", "keep", "--data", "5")
        #expect(refused.end == .exited(5), "\(refused)")
        #expect(refused.errors.contains("failed: customer is an int, not a string"), "\(refused)")
        #expect(try await daemon.json("show", "l")["seq"] == 1)
    }

    /// Expects the tags of the active states in every answer that has them.
    private func expectTags(_ tags: String) async throws {
        let shown = try await daemon.said("show", "l")
        #expect(shown.contains("\ntags:      \(tags)\n"), "\(shown)")
        let events = try await daemon.said("events", "l")
        #expect(events.hasSuffix("\ntags: \(tags)\n"), "\(events)")
        let list = JSONValue.array(tags.split(separator: ", ").map { .string(String($0)) })
        #expect(try await daemon.json("show", "l")["tags"] == list)
        let accepted = try await daemon.answer(to: .get("/v1/instances/l/events"))
        #expect(try accepted.object["tags"] == list)
    }

    @Test(.timeLimit(.minutes(20))) func tagsOfNestedAndParallelStatesAreToldFromTheRootDownAndOnce() async throws {
        _ = try await daemon.said("start", "loan", "l")
        try await expectTags("ledger, quiet, 5")
        let paid = try await daemon.json("send", "l", "pay", "--data", #"{"card": "tok_9", "amount": 4}"#)
        #expect(paid["tags"] == ["ledger", "busy", "law", "waiting", "slow", "deep"])
        try await expectTags("ledger, busy, law, waiting, slow, deep")
        let checked = try await daemon.answer(
            to: .post("/v1/instances/l/events", #"{"event": "legal.ok"}"#, headers: [("Prefer", "return=minimal")]))
        #expect(try checked.object["tags"] == ["ledger", "busy", "law", "checked", "waiting", "slow", "deep"])
        try await expectTags("ledger, busy, law, checked, waiting, slow, deep")
        #expect(try await daemon.json("send", "l", "paid")["tags"] == ["ledger", "quiet"])
        // The instance is done, and `wfctl events` says so on the other stream.
        #expect(try await daemon.said("show", "l").contains("\ntags:      ledger, quiet\n"))
        let past = try await daemon.answer(to: .get("/v1/instances/l?seq=2"))
        #expect(try past.object["tags"] == ["ledger", "busy", "law", "waiting", "slow", "deep"])
    }
}
