import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests events for many instances, one in each line: `POST /v1/events` and `wfctl send --batch`.
@Suite(.tags(.heavy), .ownThreads) struct BatchTests {
    /// A machine that counts its events, which shows an event that is applied twice or not at all.
    static let counter = """
        id: counter
        initial: on
        context: {n: 0}
        states:
          on:
            on:
              tick: {actions: {assign: {n: context.n + 1}}}
              stop: off
          off: {}
        """

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.counter, to: "counter.yaml"))
        for name in ["a", "b"] { _ = try await daemon.said("start", "counter", name) }
    }

    @Test(.timeLimit(.minutes(20))) func everyLineHasItsAnswer() async throws {
        let answer = try await daemon.answer(
            to: .post(
                "/v1/events",
                """
                {"instance": "a", "event": "tick"}

                {"instance": "nobody", "event": "tick"}
                {"instance": "b", "event": "tick", "expect": {"seq": 7}}
                {"instance": "b", "event":
                {"instance": "a", "event": "stop", "key": "k"}
                {"instance": "a", "event": "tick"}
                {"instance": "a", "event": "stop", "key": "k"}
                {"instance": "a", "event": "tick", "key": "k"}
                """, as: "application/x-ndjson"))
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/x-ndjson")
        let lines = try answer.text.split(separator: "\n").map { try JSONReader.value(from: String($0)) }
        try #require(lines.map { $0["line"] } == [1, 3, 4, 5, 6, 7, 8, 9])
        #expect(lines.map { $0["status"] } == [200, 404, 412, 400, 200, 409, 200, 422])
        #expect(lines[4]["answer"] == lines[6]["answer"])
        #expect(lines[4]["repeated"] == .null && lines[6]["repeated"] == true)
        #expect(lines.map { $0["error"]["type"] }[7] == "key-reused")
        #expect(try await daemon.json("show", "a")["seq"] == 3)
    }

    /// The program that writes into the pipe may wait for the answer to its line.
    @Test(.timeLimit(.minutes(20))) func linesGoOutWhenTheirPipePauses() async throws {
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // wfctl must not inherit a descriptor that is open for writing: its input would never end.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        let pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let line = Data(#"{"instance": "a", "event": "tick"}"#.utf8 + [UInt8(ascii: "\n")])
        async let sending = daemon.wfctl("send", "--batch", path, "--run", "r")
        // The last one begins and does not end: the lines before it go all the same.
        try pipe.write(contentsOf: line + line + line.prefix(7))
        try await eventually("two lines are applied") { try await daemon.json("show", "a")["context"]["n"] == 2 }
        try pipe.write(contentsOf: line.dropFirst(7))
        try await eventually("the third is applied") { try await daemon.json("show", "a")["context"]["n"] == 3 }
        try pipe.close()
        let sent = try await sending
        #expect(sent.end == .exited(0))
        #expect(sent.output == "3 events: 3 applied, 0 applied before, 0 refused\n")
    }

    @Test(.timeLimit(.minutes(20))) func aLineIsAnsweredBeforeTheNextOneIsSent() async throws {
        let connection = try RawConnection(to: daemon.address)
        try connection.write(
            RawRequest(
                "POST", "/v1/events",
                headers: [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")]
            ).bytes)
        func send(_ text: String) throws {
            try connection.write(Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8))
        }
        for number in 1...3 {
            try send(#"{"instance": "a", "event": "tick"}"# + "\n")
            let answer = try connection.read(through: "}}\n")
            #expect(answer.contains(#"{"line":\#(number),"status":200,"#), "\(answer)")
        }
        // Lines end where they end, not where the parts of the body do.
        try send(#"{"instance": "a", "#)
        try send(#""event": "tick"}"# + "\n\n" + #"{"instance": "nobody","#)
        #expect(try connection.read(through: "}}\n").contains(#"{"line":4,"status":200,"#))
        try send(#""event": "tick"}"#)
        try connection.write(Array("0\r\n\r\n".utf8))
        #expect(try connection.read(through: "0\r\n\r\n").contains(#"{"line":6,"status":404,"#))
    }

    @Test(.timeLimit(.minutes(20))) func manyLinesAreAnsweredInTheirOrder() async throws {
        let count = 5_000
        let lines = (1...count).map { $0 % 1_000 == 0 ? "{" : #"{"instance": "a", "event": "tick"}"# }
        let answer = try await daemon.answer(
            to: .post(
                "/v1/events", lines.joined(separator: "\r\n"), as: "application/x-ndjson"))
        let answers = try answer.text.split(separator: "\n").map { try JSONReader.value(from: String($0)) }
        #expect(answers.map { $0["line"] } == (1...count).map { .int(Int64($0)) })
        #expect(answers.map { $0["status"] } == (1...count).map { $0 % 1_000 == 0 ? 400 : 200 })
        #expect(try await daemon.json("show", "a")["context"]["n"] == .int(Int64(count - 5)))
    }

    @Test(.timeLimit(.minutes(20))) func whoeverLeavesAmidABatchLeavesNothingBehind() async throws {
        do {
            let connection = try RawConnection(to: daemon.address)
            let line = #"{"instance": "a", "event": "tick"}"# + "\n"
            let body = Array(repeating: line, count: 3_000).joined()
            let headers = [
                (name: "Content-Type", value: "application/x-ndjson"),
                (name: "Content-Length", value: "\(body.utf8.count + 1_000)"),
            ]
            try connection.write(RawRequest("POST", "/v1/events", headers: headers, body: Array(body.utf8)).bytes)
            _ = try connection.read(through: #"{"line":1,"#)
        }
        // The next one is served, and the daemon stops when it is told to.
        #expect(try await daemon.json("show", "b")["seq"] == 1)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func noAnswerInLinesIsCutShort() async throws {
        let connection = try RawConnection(to: daemon.address)
        let lines = RawRequest.post(
            "/v1/events", #"{"instance": "a", "event": "tick"}"#, as: "application/x-ndjson")
        for _ in 0..<200 {
            #expect(try connection.answer(to: lines).text.hasSuffix("}}\n"))
            #expect(try connection.answer(to: .get("/livez")).status == 200)
        }
    }

    @Test(.timeLimit(.minutes(20))) func allOrNone() async throws {
        let good = #"{"instance": "a", "event": "tick", "key": "1"}"# + "\n" + #"{"instance": "b", "event": "tick"}"#
        let refused = try await daemon.answer(
            to: .post(
                "/v1/events?atomic=true", good + "\n" + #"{"instance": "a", "event": "toc"}"#,
                as: "application/x-ndjson"))
        #expect(refused.status == 422)
        #expect(try refused.object["line"] == 3 && refused.object["type"] == "unknown-event")
        for name in ["a", "b"] { #expect(try await daemon.json("show", name)["seq"] == 1) }

        // The key was not used by what did not happen.
        let request = RawRequest.post("/v1/events?atomic=true", good, as: "application/x-ndjson")
        let done = try await daemon.answer(to: request)
        #expect(done.status == 200)
        #expect(done.text.split(separator: "\n").count == 2)
        for name in ["a", "b"] { #expect(try await daemon.json("show", name)["seq"] == 2) }
        let many = (0..<1_001).map { _ in #"{"instance": "a", "event": "tick"}"# }.joined(separator: "\n")
        let tooMany = try await daemon.answer(
            to: .post("/v1/events?atomic=true", many, as: "application/x-ndjson"))
        #expect(tooMany.status == 413)
    }

    @Test(.timeLimit(.minutes(20))) func whatIsNoBatch() async throws {
        let json = try await daemon.answer(to: .post("/v1/events", "{}"))
        #expect(json.status == 415)
        let key = [(name: "Idempotency-Key", value: "k")]
        let keyed = try await daemon.answer(
            to: .post("/v1/events", "", as: "application/x-ndjson", headers: key))
        #expect(keyed.status == 400)
        let empty = try await daemon.answer(to: .post("/v1/events", "\n\n", as: "application/x-ndjson"))
        #expect(empty.status == 200 && empty.text.isEmpty)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [0, 1]) func aLineThatIsTooLongIsNamed(more: Int) async throws {
        let tick = #"{"instance": "a", "event": "tick"}"#
        let frame = #"{"instance": "a", "event": "tick", "data": {"x": ""}}"#.utf8.count
        let size = 1_048_576 + more - frame
        let long = #"{"instance": "a", "event": "tick", "data": {"x": "\#(String(repeating: "x", count: size))"}}"#
        let body = [tick, long, tick].joined(separator: "\n")
        let answer = try await daemon.answer(to: .post("/v1/events", body, as: "application/x-ndjson"))
        let lines = answer.text.split(separator: "\n")
        #expect(lines.first?.contains(#""status":200"#) == true)
        #expect(answer.text.contains("Line 2 is longer than 1048576 bytes") == (more == 1), "\(lines.last ?? "")")
        #expect(lines.count == (more == 1 ? 2 : 3))
        guard more == 1 else { return }
        let file = try folder.write(body, to: "long.ndjson")
        let result = try await daemon.wfctl("send", "--batch", file, "--run", "r")
        #expect(result.end == .exited(65))
        #expect(result.errors.hasPrefix("error: Cannot use '\(file)': line 2 is longer than 1048576 bytes"))
    }

    /// Returns when a part of a batch has been written.
    private func waitForTheMidst() async throws {
        let database = DatabaseFile(daemon.database)
        try await eventually("the batch gets on") { try database.number("SELECT count(*) FROM journal") >= 1_000 }
    }

    @Test(.timeLimit(.minutes(20))) func aBatchGoesOnOverAKill() async throws {
        let count = 5_000
        let lines = (0..<count).map { _ in #"{"instance": "a", "event": "tick"}"# + "\n" }.joined()
        let file = try folder.write(lines, to: "ticks.ndjson")
        let arguments = ["send", "--batch", file, "--run", "one"]
        async let first = wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        try await waitForTheMidst()
        try await daemon.kill()
        let next = try await Daemon(in: folder)
        // It goes on by itself: what it asks again is answered and not applied again.
        let result = try await first
        #expect(result.end == .exited(0), "\(result)")
        #expect(result.output.hasPrefix("\(count) events: "))
        #expect(try await next.json("show", "a")["context"]["n"] == .int(Int64(count)))
        let again = try await next.wfctl("send", "--batch", file, "--run", "one")
        #expect(again.output == "\(count) events: 0 applied, \(count) applied before, 0 refused\n")
        #expect(try await next.json("show", "a")["seq"] == .int(Int64(count) + 1))
    }

    @Test(.timeLimit(.minutes(20))) func aBatchWhoseDaemonDoesNotComeBackIsOneToTryAgain() async throws {
        let lines = (0..<5_000).map { _ in #"{"instance": "a", "event": "tick"}"# + "\n" }.joined()
        let arguments = ["send", "--batch", try folder.write(lines, to: "ticks.ndjson"), "--run", "one"]
        async let sending = wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        try await waitForTheMidst()
        try await daemon.kill()
        let result = try await sending
        #expect(result.end == .exited(75), "\(result)")
        #expect(result.errors.contains("\n  sent so far: "), "\(result)")
        let next = try await Daemon(in: folder)
        #expect(try await next.wfctl(arguments[0], arguments[1], arguments[2], "--run", "one").end == .exited(0))
        #expect(try await next.json("show", "a")["seq"] == 5_001)
    }

    @Test(.timeLimit(.minutes(20))) func aBatchThatWasMendedGoesOn() async throws {
        let tick = #"{"instance": "a", "event": "tick"}"#
        let other = #"{"instance": "b", "event": "tick"}"#
        let broken = try folder.write([tick, "{", tick, other].joined(separator: "\n"), to: "ticks.ndjson")
        let first = try await daemon.wfctl("send", "--batch", broken, "--run", "r")
        #expect(first.end == .exited(65))
        #expect(first.errors.hasPrefix("line 2: "), "\(first.errors)")
        #expect(first.output == "4 events: 3 applied, 0 applied before, 1 refused\n")
        // The keys of the other lines stay what they were, wherever the lines stand now.
        let mended = try folder.write([other, tick, tick, tick].joined(separator: "\n"), to: "mended.ndjson")
        #expect(
            try await daemon.said("send", "--batch", mended, "--run", "r")
                == "4 events: 1 applied, 3 applied before, 0 refused\n")
        #expect(try await daemon.json("show", "a")["context"]["n"] == 3)
        #expect(try await daemon.json("show", "b")["context"]["n"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func whatWasProbablyMeantIsSuggested() async throws {
        _ = try await daemon.said("start", "counter", "order-1042")
        let lines = [
            #"{"instance": "order-1024", "event": "tick"}"#, #"{"instance": "a", "event": "tikc"}"#,
            #"{"instance": "a""#,
        ]
        let file = try folder.write(lines.joined(separator: "\n"), to: "ticks.ndjson")
        let result = try await daemon.wfctl("send", "--batch", file, "--run", "r")
        #expect(result.end == .exited(4))
        #expect(
            result.errors == """
                line 1: There is no instance 'order-1024'; did you mean 'order-1042'?
                line 2: Machine 'counter' has no event 'tikc'; did you mean 'tick'?
                line 3: The line is not JSON at column 17: expected ',' or '}', found the end of the text

                """)
        let together = try folder.write(lines[0], to: "one.ndjson")
        let atomic = try await daemon.wfctl("send", "--batch", together, "--run", "r", "--atomic")
        #expect(
            atomic.errors == """
                error: Line 1: There is no instance 'order-1024'
                  did you mean 'order-1042'?

                """)
        // The daemon says where in the line, too.
        let body = lines.joined(separator: "\n")
        let answer = try await daemon.answer(to: .post("/v1/events", body, as: "application/x-ndjson"))
        let answers = try answer.text.split(separator: "\n").map { try JSONReader.value(from: String($0)) }
        #expect(answers.map { $0["error"]["suggestion"] } == ["order-1042", "tick", .null])
        #expect(
            answers.last?["error"]["detail"]
                == "The line is not JSON at column 17: expected ',' or '}', found the end of the text")
    }

    @Test(.timeLimit(.minutes(20))) func linesWithoutKeysNeedARun() async throws {
        let file = try folder.write(#"{"instance": "a", "event": "tick"}"#, to: "tick.ndjson")
        let refused = try await daemon.wfctl("send", "--batch", file)
        #expect(refused.end == .exited(64))
        #expect(refused.errors.hasPrefix("error: Line 1 has no key\n  '--run NAME'"))
        _ = try await daemon.said("send", "a", "stop")
        let stopped = try await daemon.wfctl("send", "--batch", file, "--run", "r")
        #expect(stopped.end == .exited(5))
        #expect(stopped.output == "1 event: 0 applied, 0 applied before, 1 refused\n")
        #expect(stopped.errors == "line 1: a does not accept 'tick' in state 'off' (seq 2)\n")
    }
}
