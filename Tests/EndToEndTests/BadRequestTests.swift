import DaemonTesting
import Testing
import WorkflowJSON

/// Tests that a daemon refuses bad requests as the suites of the routes tell, and that its file stays as it was.
@Suite struct BadRequestTests {
    private static let cases: [(request: RawRequest, answer: String)] = [
        (
            .post("/v1/instances/order-1/events", #"{"event": "submit""#),
            "400 invalid-request: The body is not JSON: line 1, column 19: expected ',' or '}', found the end of the text"
        ),
        (
            .post("/v1/instances/order-1/events", "{}", as: "text/plain; charset=utf-8"),
            "415 unsupported-media-type: The request has Content-Type 'text/plain'; this route takes application/json"
        ),
        (
            RawRequest(
                "POST", "/v1/instances",
                headers: [("Content-Type", "application/json"), ("Content-Length", "18446744073709551615")]),
            "413 payload-too-large: The body is larger than 1048576 bytes"
        ),
        (
            .post("/v1/instances/order-1/events", #"{"event": "pay"}"#),
            "409 event-not-accepted: order-1 does not accept 'pay' in state 'draft' (seq 1)"
        ),
        (
            .post("/v1/instances/trap/events", #"{"event": "spin"}"#),
            "409 livelock: 'spin' was undone: machine 'traps' did not settle within 1000 steps; these states went "
                + "round: 'idle'"
        ),
        (
            .post("/v1/instances/order-1/events", #"{"event": "submit"}"#, headers: [("If-Match", "\"9\"")]),
            "412 precondition-failed: order-1, in state 'draft' (seq 1), is not at seq 9"
        ),
        (
            .post("/v1/machines", "id: m\nid: n\ninitial: a\nstates: {a: {}}\n", as: "application/yaml"),
            "422 invalid-definition: The definition has a mistake"
        ),
        (
            .post("/v1/instances", #"{"machine": "ordre"}"#),
            "404 machine-not-found: There is no machine 'ordre'"
        ),
        (
            .get("/v1/instances?limit=0"),
            "400 invalid-parameter: Parameter 'limit' must be a whole number from 1 to 500, not '0'"
        ),
        (
            RawRequest("PATCH", "/v1/instances"),
            "405 method-not-allowed: /v1/instances does not take PATCH; it takes GET, POST, HEAD, OPTIONS"
        ),
        (.get("/v1/instances/%zz"), "404 route-not-found: The path is not percent-encoded text"),
        (
            .post("/v1/instances/order-1/reset", #"{"to": 9, "reason": "r"}"#),
            "404 seq-not-found: "
        ),
        (
            .post("/v1/instances/order-1/undo", #"{"reason": "r", "to": 1}"#),
            "400 invalid-request: Unknown field 'to'"
        ),
    ]

    @Test(.timeLimit(.minutes(20))) func eachIsToldAndNothingIsDone() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said(
            "apply", folder.write(BadRequestMachines.order, to: "order.yaml"),
            folder.write(BadRequestMachines.traps, to: "traps.yaml"))
        for (machine, name) in [("order", "order-1"), ("traps", "trap")] {
            _ = try await daemon.said("start", machine, name)
        }
        let before = try DatabaseFile(daemon.database).dump()
        for (request, told) in Self.cases {
            let answer = try await daemon.answer(to: request)
            #expect(answer.headers["content-type"] == "application/problem+json", "\(request.target)")
            #expect(try answer.told.hasPrefix(told), "\(request.target): \(answer.text)")
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
