import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests callers that ask for much data and read none of it.
@Suite(.ownThreads) struct UnreadAnswersOfDaemonTests {
    /// A machine whose instance has a history of 500 rows of 24 KB.
    static let log = """
        id: log
        initial: open
        context: {n: 0}
        states:
          open: {on: {note: {actions: {assign: {n: context.n + 1}}}}}
        """

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.log, to: "log.yaml"))
        _ = try await daemon.said("start", "log", "a")
    }

    private func fill(rows: Int = 500, bytes: Int = 24_000) async throws {
        let data = String(repeating: "x", count: bytes)
        let lines = String(repeating: #"{"instance":"a","event":"note","data":"\#(data)"}"# + "\n", count: rows)
        let answer = try await daemon.answer(to: .post("/v1/events", lines, as: "application/x-ndjson"))
        #expect(answer.status == 200)
    }

    @Test(.timeLimit(.minutes(20))) func pagesThatNobodyReadsTakeABoundedMemory() async throws {
        try await fill()
        let before = try daemon.ownMemory()
        let page = RawRequest.get("/v1/instances/a/history?limit=500")
        var connections: [RawConnection] = []
        var most = 0
        for _ in 0..<600 {
            let connection = try RawConnection(to: daemon.address)
            try connection.write(page.bytes)
            connections.append(connection)
            most = max(most, try daemon.ownMemory() - before)
        }
        // A request past the budget is told so, and all others are answered.
        let refusal = try await problem(page)
        #expect(refusal["type"] == "overloaded")
        #expect(refusal["detail"] == "Too many large answers wait to be read by their callers")
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        #expect(try await daemon.json("send", "a", "note")["seq"] == 502)
        most = max(most, try daemon.ownMemory() - before)
        #expect(most < 256 << 20, "\(most >> 20) MiB")
        connections.removeAll()
        var left = 0
        try await eventually("the memory is given back") {
            left = try daemon.ownMemory() - before
            return left < 32 << 20
        }
        print("RssAnon: \(before >> 20) MiB before, \(most >> 20) MiB more at most, \(left >> 20) MiB more at the end")
        let answer = try await daemon.answer(to: page)
        #expect(answer.status == 200)
    }

    /// 500 streams took 1.2 GiB when each held a part of its own.
    @Test(.timeLimit(.minutes(20)), arguments: ["/v1/stream?after=start", "/v1/instances/a/stream?after=start"])
    func streamsThatNobodyReadsTakeABoundedMemory(target: String) async throws {
        try await fill(rows: 200, bytes: 100 << 10)
        let before = try daemon.ownMemory()
        var connections: [RawConnection] = []
        var most = 0
        for _ in 0..<500 {
            let connection = try RawConnection(to: daemon.address)
            try connection.write(RawRequest.get(target).bytes)
            connections.append(connection)
            most = max(most, try daemon.ownMemory() - before)
        }
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        #expect(try await daemon.json("send", "a", "note")["seq"] == 202)
        try await eventually("all have begun") {
            most = max(most, try daemon.ownMemory() - before)
            return connections.allSatisfy(\.isReadable)
        }
        // The memory must not grow in this time.
        for _ in 0..<20 {
            try await letPass(.milliseconds(100))
            most = max(most, try daemon.ownMemory() - before)
        }
        print("\(target): RssAnon \(most >> 20) MiB more at most")
        #expect(most < 256 << 20, "\(most >> 20) MiB")
        connections.removeAll()
        try await eventually("the memory is given back") { try daemon.ownMemory() - before < 96 << 20 }
    }

    /// Returns the problem that answers a request, as soon as there is one.
    private func problem(_ request: RawRequest) async throws -> JSONObject {
        var problem: JSONObject?
        try await eventually("there is a problem") {
            let answer = try await daemon.answer(to: request)
            if answer.status == 503 { problem = try answer.object }
            return problem != nil
        }
        return try #require(problem)
    }

    @Test(.timeLimit(.minutes(20))) func aPageEndsWhereItsBytesDoAndTheNextOneGoesOn() async throws {
        try await fill()
        var target = "/v1/instances/a/history?limit=500"
        var seqs: [JSONValue] = []
        var pages = 0
        while true {
            let answer = try await daemon.answer(to: .get(target))
            #expect(answer.body.count < 2 << 20)
            pages += 1
            let object = try answer.object
            seqs += (object["items"] ?? .null).elements.map { $0["seq"] }
            guard let next = object["nextPage"]?.string else { break }
            target = "/v1/instances/a/history?limit=500&page=\(next)"
        }
        #expect(seqs == (1...501).map { .int($0) })
        #expect(pages > 6 && pages < 50, "\(pages)")
    }

    @Test(.timeLimit(.minutes(20))) func replaysThatNobodyReadsKeepNobodyFromVerifying() async throws {
        try await fill()
        let asked = ContinuousClock.now
        var connections: [RawConnection] = []
        for _ in 0..<6 {
            let connection = try RawConnection(to: daemon.address)
            try connection.write(RawRequest.get("/v1/instances/a/replay?trace=true").bytes)
            connections.append(connection)
        }
        try await eventually("it is verified") { try await daemon.wfctl("verify", "--all").end == .exited(0) }
        // The answers that had a place come to their end when they are read at last. It is open which ones had one.
        let answers = connections.map { try? $0.readAnswer() }
        // On a machine with much to do they may have been cut off by now: nobody has read for so long.
        guard .now - asked < .seconds(20) else { return }
        let replays = try answers.map { try #require($0) }.filter { $0.status == 200 }
        // A verification that came before all of them had one of the four.
        #expect(replays.count >= 3)
        for replay in replays {
            let lines = replay.text.split(separator: "\n")
            #expect(lines.count == 501)
            #expect(lines.last?.contains("problem") == false)
        }
    }

    @Test(.timeLimit(.minutes(20))) func linesSayNoContextUnlessAsked() async throws {
        let line = #"{"instance":"a","event":"note","key":"k"}"# + "\n"
        func answer(_ query: String, _ body: String = line) async throws -> RawAnswer {
            try await daemon.answer(to: .post("/v1/events" + query, body, as: "application/x-ndjson"))
        }
        for query in ["", "?context=false", "?atomic=true"] {
            #expect(try await answer(query).object["answer"]?["context"] == .null, "\(query)")
        }
        // A repeated request has the same answer.
        let full = try await answer("?context=true").object
        #expect(full["repeated"] == true && full["answer"]?["context"] == ["n": 1])
        let refused = try await answer("?context=true&atomic=true")
        #expect(refused.status == 400)
        #expect(try refused.object["detail"] == "Parameter 'context' does not go with 'atomic'")
        let many = String(repeating: #"{"instance":"a","event":"note"}"# + "\n", count: 50)
        let lines = try await answer("?context=true", many).text.split(separator: "\n")
        let counts = try lines.map { try JSONReader.value(from: Array($0.utf8))["answer"]["context"]["n"] }
        #expect(counts == (2...51).map { .int($0) })
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["/v1/instances/a/events", "/v1/instances/%61/events"])
    func aSingleSendLeavesTheContextOutWhenThatIsPreferred(target: String) async throws {
        for preference in ["return=minimal", "respond-async, Return=Minimal; x=1", #"return="minimal""#] {
            let answer = try await daemon.answer(
                to: .post(target, #"{"event": "note"}"#, headers: [("Prefer", preference)]))
            #expect(answer.headers["preference-applied"] == "return=minimal", "\(preference)")
            #expect(try answer.object["context"] == nil)
            #expect(try answer.object["to"] == ["open"])
        }
        for (count, headers) in zip(4..., [[], [(name: "Prefer", value: "return=representation")]]) {
            let answer = try await daemon.answer(to: .post(target, #"{"event": "note"}"#, headers: headers))
            #expect(answer.headers["preference-applied"] == nil)
            #expect(try answer.object["context"]?["n"] == .int(Int64(count)))
        }
    }
}
