import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON

/// Tests `POST /v1/events` with lines that start instances, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct BatchRoutesTests {
    private static let machine = """
        id: lamp
        initial: dark
        context: {watts: 5}
        states: {dark: {on: {flip: bright}}, bright: {on: {flip: dark}}}
        """

    private static func host() async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(machine, syntax: .yaml)
        return host
    }

    private static func texts(_ host: ServerHost, _ lines: [String], query: String = "") async throws -> [String] {
        let request = RawRequest.post(
            "/v1/events" + query, lines.joined(separator: "\n"), as: "application/x-ndjson")
        return try await host.answers(to: [request])[0].text.split(separator: "\n").map(String.init)
    }

    private static func answers(
        _ host: ServerHost, _ lines: [String], query: String = ""
    ) async throws -> [JSONValue] {
        try await texts(host, lines, query: query).map { try JSONReader.value(from: $0) }
    }

    @Test func eachLineIsAnsweredAsASingleStart() async throws {
        let host = try await Self.host()
        let texts = try await Self.texts(
            host,
            [
                #"{"instance": "hall", "start": {"machine": "lamp"}, "key": "1"}"#,
                #"{"instance": "hall", "event": "flip"}"#,
                #"{"instance": "hall", "start": {"machine": "lamp"}}"#,
                #"{"instance": "hall", "start": {"machine": "lamp"}, "key": "1"}"#,
                #"{"instance": "a b", "start": {"machine": "lamp"}}"#,
                #"{"instance": "cellar", "start": {"machine": "lmp"}}"#,
                #"{"instance": "cellar", "start": {"machine": "lamp", "version": 2}}"#,
                #"{"instance": "cellar", "start": {"machine": "lamp", "data": {"wats": 1}}}"#,
                #"{"instance": "cellar", "start": {"machine": "lamp", "data": {"watts": 7}}}"#,
                #"{"instance": "celar", "event": "flip"}"#,
            ])
        let answers = try texts.map { try JSONReader.value(from: $0) }
        try #require(answers.map { $0["status"] } == [201, 200, 409, 201, 422, 404, 404, 422, 201, 404])
        #expect(
            texts[0]
                == #"{"line":1,"status":201,"answer":{"instance":"hall","event":"init","seq":1,"fromSeq":0,"from":[],"#
                + #""to":["dark"],"status":"running","configuration":["dark"]}}"#)
        #expect(answers[3]["repeated"] == true && answers[3]["answer"] == answers[0]["answer"])
        #expect(
            [2, 4, 5, 6, 7].map { answers[$0]["error"]["type"] } == [
                "instance-exists", "invalid-name", "machine-not-found", "machine-not-found", "invalid-data",
            ])
        #expect(answers[5]["error"]["suggestion"] == "lamp" && answers[6]["error"]["suggestion"] == .null)
        #expect(answers[9]["error"]["suggestion"] == "cellar")
        let show = try await host.answers(to: [.get("/v1/instances/cellar")])[0]
        #expect(try show.object["context"] == ["watts": 7])
        try await host.stop()
    }

    @Test func theContextIsSaidWhereItIsWanted() async throws {
        let host = try await Self.host()
        let line = #"{"instance": "hall", "start": {"machine": "lamp"}}"#
        let answers = try await Self.answers(host, [line], query: "?context=true")
        #expect(answers.map { $0["answer"]["context"] } == [["watts": 5]])
        try await host.stop()
    }

    @Test func allOrNoneStartsNothingWhenALineIsRefused() async throws {
        let host = try await Self.host()
        let starts = ["a", "b"].map { #"{"instance": "\#($0)", "start": {"machine": "lamp"}}"# }
        let refused = try await Self.answers(host, starts + [starts[0]], query: "?atomic=true")
        #expect(refused.map { $0["type"] } == ["instance-exists"] && refused.map { $0["line"] } == [3])
        let missing = try await host.answers(to: [.get("/v1/instances/a")])[0]
        #expect(missing.status == 404)
        let done = try await Self.answers(
            host, starts + [#"{"instance": "b", "event": "flip"}"#], query: "?atomic=true")
        #expect(done.map { $0["status"] } == [201, 201, 200])
        try await host.stop()
    }
}

extension JSONValue {
    /// Returns a member of an object; null if there is none.
    fileprivate subscript(name: String) -> JSONValue { object?[name] ?? .null }
}
