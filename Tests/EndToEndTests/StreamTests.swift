import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests streams of real daemons: cut, killed, restored, too many.
@Suite(.timeLimit(.minutes(20))) struct StreamTests {
    private static let machine = """
        id: lamp
        initial: dark
        states:
          dark: {on: {on: lit}}
          lit: {on: {"off": dark}}
        """

    private static func daemon(in folder: TemporaryFolder, listen: [String] = []) async throws -> Daemon {
        let addresses = listen.isEmpty ? ["unix:" + folder.path("wfd.sock")] : listen
        let anonymous = listen.isEmpty ? [] : ["--anonymous", "view"]
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: addresses) + anonymous,
            database: folder.path("wfd.db"), addresses: addresses.count)
        _ = try await daemon.said("apply", try folder.write(machine, to: "lamp.yaml"))
        return daemon
    }

    /// Returns the rows of the file in their order: `instance seq`.
    private static func journal(_ daemon: Daemon) throws -> [String] {
        try DatabaseFile(daemon.database).read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name || ' ' || journal.seq FROM journal JOIN instance ON instance.id = instance_id
                    ORDER BY position
                    """)
        }
    }

    /// `timeout` sends two signals, one shortly after the other.
    @Test func tailSaysWhereItStoppedHoweverOftenItIsInterrupted() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        let tail = try RunningProgram(
            Programs.path("wfctl"), ["tail", "--since", "start", "-o", "jsonl"],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        _ = try await tail.outputLines(containing: #""seq":1"#)
        while !tail.errors.contains("stopped; '--since ") {
            tail.signal(SIGINT)
            // A signal may have ended it, before the words or after them.
            if kill(tail.pid, 0) != 0 { break }
        }
        #expect(try await tail.result().errors.contains("stopped; '--since "))
    }

    @Test func tailOutlivesAKillAndSaysWhereItWasCut() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("start", "lamp", "l")
        _ = try await daemon.said("start", "lamp", "other")
        let tail = try RunningProgram(
            Programs.path("wfctl"), ["tail", "l", "--since", "start", "-o", "jsonl"],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        _ = try await tail.outputLines(containing: #""seq":1"#)
        try await daemon.kill()
        let cut = try await tail.errorLines(containing: "cut off behind ")[0]
        daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("send", "l", "on")
        let lines = try await tail.outputLines(containing: #""instance":"l""#, count: 2)
        let rows = try lines.map { try JSONReader.value(from: $0) }
        try #require(rows.map { $0["seq"] } == [1, 2] && rows[1]["event"] == "on" && rows[1]["version"] == 1)
        #expect(cut.contains("cut off behind \(rows[0]["cursor"].string ?? ""), connecting again: "))
        tail.signal(SIGINT)
        let result = try await tail.result()
        #expect(result.end == .exited(0))
        let cursor = try #require(rows[1]["cursor"].string)
        #expect(result.errors.hasSuffix("connected again\nstopped; '--since \(cursor)' goes on from here\n"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func afterARestoreAStreamIsToldWhereTheHistoriesPart() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("start", "lamp", "l")
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.said("send", "l", "on")
        let rows = try await daemon.json("history", "l").elements.compactMap { $0["cursor"].string }
        try #require(rows.count > 1)
        _ = try await daemon.stop()
        #expect(try await Daemon.launch(["restore", copy, "--database", daemon.database]).result().end == .exited(0))
        let next = try await Self.daemon(in: folder)
        for target in ["/v1/stream", "/v1/instances/l/stream"] {
            let requests = [
                RawRequest.get("\(target)?after=\(rows[1])"),
                RawRequest("GET", target, headers: [("Last-Event-ID", rows[1])]),
            ]
            for request in requests {
                let answer = try await next.answer(to: request)
                #expect(answer.status == 410)
                let problem = try Problem(body: answer.body)
                #expect(problem.type == .generationChanged && problem.parted?.generation == 2)
                let present = try await next.json("history", "l").elements
                #expect(problem.parted?.cursor == present[0]["cursor"].string)
            }
        }
        let tail = try await next.wfctl("tail", "--since", rows[1])
        #expect(tail.end == .exited(1), "\(tail)")
        #expect(tail.errors.contains("'--since ") && tail.errors.contains("goes on behind the last row that both have"))
        #expect(try await next.stop().end == .exited(0))
    }

    @Test func fiveHundredStreamsLeaveRoomForAllElse() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("start", "lamp", "l")
        let readers = try await onOwnThread { [address = daemon.address] in
            try (0..<500).map { number in
                try EventReader(number % 2 == 0 ? "/v1/stream" : "/v1/instances/l/stream", of: address)
            }
        }
        #expect(readers.allSatisfy { $0.status == 200 })
        let refused = try await daemon.answer(to: .get("/v1/stream"))
        #expect(refused.status == 503)
        #expect(try refused.object["detail"] == "500 streams are open already")
        // Requests that wait have the rest of what is not kept free.
        func wait(_ count: Int) async throws -> [RawConnection] {
            try await onOwnThread { [address = daemon.address] in
                try (0..<count).map { _ in
                    let connection = try RawConnection(to: address)
                    try connection.write(RawRequest.get("/v1/instances/l/history?after=1&wait=60").bytes)
                    return connection
                }
            }
        }
        var waiting = try await wait(200)
        var last = try await daemon.answer(to: .get("/v1/instances/l/history?after=1&wait=1"))
        try await eventually("there is no room") {
            guard last.status == 200 else { return true }
            // It may have had the place of one that came behind it, and was refused.
            waiting += try await wait(1)
            last = try await daemon.answer(to: .get("/v1/instances/l/history?after=1&wait=1"))
            return false
        }
        #expect(last.status == 503)
        #expect(try last.object["detail"] == "700 streams and requests that wait are open already")
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        _ = try await daemon.said("send", "l", "on")
        let told = try await onOwnThread { try readers.map { try $0.nextEvent()?.data?.contains(#""seq":2"#) } }
        #expect(told.count == 500 && told.allSatisfy { $0 == true })
        let answers = try await onOwnThread { [waiting] in try waiting.map { try $0.readAnswer().status } }
        let given = answers.count { $0 == 200 }
        #expect(given >= 200 && answers.allSatisfy { $0 == 200 || $0 == 503 })
        async let ends = onOwnThread { try readers.map { try $0.nextEvent() } }
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try await ends.allSatisfy { $0 == nil })
    }

    /// A client that does not read is cut off after 30 seconds, and others do not notice.
    @Test func whoeverDoesNotReadIsCutOffAndGoesOnByItsCursor() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Self.daemon(in: folder)
        _ = try await daemon.said("start", "lamp", "l")
        let stalled = try await onOwnThread { [address = daemon.address] in
            try EventReader("/v1/stream?after=start", of: address)
        }
        let data = String(repeating: "x", count: 50_000)
        let lines = (0..<100).map { #"{"instance":"l","event":"\#($0 % 2 == 0 ? "on" : "off")","data":"\#(data)"}"# }
        let sent = try await daemon.answer(
            to: .post("/v1/events", lines.joined(separator: "\n") + "\n", as: "application/x-ndjson"))
        #expect(sent.status == 200)
        let other = try await onOwnThread { [address = daemon.address] in
            let reader = try EventReader("/v1/stream?after=start", of: address)
            return try (0..<101).compactMap { _ in try reader.nextEvent()?.id }
        }
        #expect(other.count == 101)
        _ = try await daemon.program.errorLines(containing: "a connection was cut off")
        // The bytes that the system had can still be read, up to where the stream was cut off.
        let last = try await onOwnThread {
            var last: String?
            do { while let event = try stalled.nextEvent() { last = event.id } } catch is TestingError { return last }
            return "ended in order"
        }
        let place = try #require(last.flatMap { other.firstIndex(of: $0) })
        let rest = try await onOwnThread { [address = daemon.address] in
            let reader = try EventReader("/v1/stream", of: address, headers: [("Last-Event-ID", other[place])])
            return try (place + 1..<101).compactMap { _ in try reader.nextEvent()?.id }
        }
        #expect(rest == Array(other[(place + 1)...]))
        #expect(try await daemon.stop().end == .exited(0))
    }

    private static let script = """
        import json, sys, time, urllib.request
        import sseclient
        url, count, last, seen = sys.argv[1], int(sys.argv[2]), None, 0
        deadline = time.time() + 100
        while seen < count and time.time() < deadline:
            headers = {"Accept": "text/event-stream"}
            if last: headers["Last-Event-ID"] = last
            try:
                with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
                    for event in sseclient.SSEClient(answer).events():
                        item = json.loads(event.data)
                        assert event.event == "transition" and event.id == item["cursor"], event
                        last, seen = event.id, seen + 1
                        print(item["instance"], item["seq"], flush=True)
                        if seen == count: break
            except OSError as error:
                print("cut", error, file=sys.stderr, flush=True)
        """

    @Test(.enabled(if: TestService.python != nil, "there is no python3 on this system"))
    func sseclientReadsOverReconnectsAndAKill() async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write(Self.script, to: "read.py")
        let socket = "unix:" + folder.path("wfd.sock")
        var daemon = try await Self.daemon(in: folder, listen: [socket, "127.0.0.1:0"])
        let ports = daemon.addresses.compactMap { if case .tcp(_, let port) = $0 { port } else { nil } }
        let port = try #require(ports.first)
        let packages = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".build/python").path
        _ = try await daemon.said("start", "lamp", "l")
        let program = try RunningProgram(
            try #require(TestService.python), [script, "http://127.0.0.1:\(port)/v1/stream?after=start", "33"],
            environment: Programs.environment(["PYTHONPATH": packages]))
        for round in 1...4 {
            for number in 0..<8 { _ = try await daemon.said("send", "l", number % 2 == 0 ? "on" : "off") }
            guard round < 4 else { break }
            _ = try await program.outputLines(containing: "l ", count: round * 8 - 3)
            if round % 2 == 0 { _ = try await daemon.stop() } else { try await daemon.kill() }
            daemon = try await Self.daemon(in: folder, listen: [socket, "127.0.0.1:\(port)"])
        }
        let result = try await program.result()
        #expect(result.end == .exited(0), "\(result)")
        #expect(result.output.split(separator: "\n").map(String.init) == (try Self.journal(daemon)))
        #expect(try await daemon.stop().end == .exited(0))
    }
}
