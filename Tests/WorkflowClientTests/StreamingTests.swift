import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests answers that are read as they come.
struct StreamingTests {
    private let request = TransportRequest(.post, "/v1/things")

    @Test func linesComeOneByOneHoweverTheyAreCut() async throws {
        let healths = [Health(status: .live), Health(status: .ready, version: "a long version, longer than a part")]
        let transport = ScriptedTransport([.lines(healths.map { JSONWriter.string($0) })])
        let client = WorkflowClient(transport: transport)
        #expect(try await all(client.lines(request, of: Health.self)) == healths)
        #expect(transport.requests.map(\.accepted) == ["application/x-ndjson"])
    }

    @Test func aLastLineMayLackItsNewline() async throws {
        let text = JSONWriter.string(Health(status: .ready))
        let client = WorkflowClient(
            transport: ScriptedTransport([.bytes(Array(("\n" + text).utf8), as: LineStream.mediaType)]))
        #expect(try await all(client.lines(request, of: Health.self)) == [Health(status: .ready)])
    }

    @Test func aProblemLineIsThrownAfterTheLinesBeforeIt() async throws {
        let problem = Problem(.overloaded, detail: "Too many")
        let lines = [JSONWriter.string(Health(status: .ready)), JSONWriter.string(LineStream.ProblemLine(problem))]
        let client = WorkflowClient(transport: ScriptedTransport([.lines(lines)]))
        var iterator = try await client.lines(request, of: Health.self).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first == Health(status: .ready))
        await #expect(throws: ClientError.problem(problem)) { try await iterator.next() }
    }

    @Test func aProblemInsteadOfLinesIsThrownAtOnce() async throws {
        let problem = Problem(.draining, detail: "The daemon is stopping")
        let client = WorkflowClient(transport: ScriptedTransport([.problem(problem)]))
        await #expect(throws: ClientError.problem(problem)) { try await client.lines(request, of: Health.self) }
    }

    @Test func anAnswerOfAnotherKindIsRefused() async throws {
        let client = WorkflowClient(transport: ScriptedTransport([.json("{}")]))
        let reason = "it is 'application/json', not 'application/x-ndjson'"
        await #expect(throws: ClientError.protocolViolation(client.address, reason: reason)) {
            try await client.lines(request, of: Health.self)
        }
    }

    @Test func aLineMayNotBeTooLong() async throws {
        var limits = ClientLimits()
        limits.lineBytes = 20
        let client = WorkflowClient(
            transport: ScriptedTransport([.lines([String(repeating: "x", count: 100)])]), limits: limits)
        let lines = try await client.lines(request, of: Health.self)
        await #expect(
            throws: ClientError.protocolViolation(client.address, reason: "a line is longer than 20 bytes")
        ) {
            try await all(lines)
        }
    }

    @Test func bytesComeAsTheyAre() async throws {
        let bytes = (0..<100).map { UInt8($0) }
        let client = WorkflowClient(transport: ScriptedTransport([.bytes(bytes, as: "application/vnd.sqlite3")]))
        let answer = try await client.bytes(request, as: "application/vnd.sqlite3")
        #expect(answer.length == 100)
        var read: [UInt8] = []
        for try await part in answer { read += part }
        #expect(read == bytes)
    }

    private func all<Line: WireObject>(_ lines: AnswerLines<Line>) async throws -> [Line] {
        var all: [Line] = []
        for try await line in lines { all.append(line) }
        return all
    }
}
