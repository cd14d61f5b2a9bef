import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests events that are refused, over HTTP: status, type and text of each answer.
@Suite struct BadEventTests {
    @Test(.timeLimit(.minutes(20))) func theMachineSaysWhyItRefusesAnEvent() async throws {
        try await BadRequestStage().expect([
            .event(
                #"{"event": "pay"}"#, .eventNotAccepted, "order-1 does not accept 'pay' in state 'draft' (seq 1)",
                ["instance": "order-1", "machine": "order", "state": ["draft"], "seq": 1, "accepted": ["submit"]]),
            .event(
                #"{"event": "sumbit"}"#, .unknownEvent, "Machine 'order' has no event 'sumbit'",
                ["suggestion": "submit"]),
            .event(#"{"event": "teleport"}"#, .unknownEvent, "Machine 'order' has no event 'teleport'"),
            .event(
                #"{"event": "pay"}"#, .instanceFinished,
                "finished, in state 'rejected' (seq 3), is done and accepts no more events",
                ["instance": "finished", "machine": "order", "state": ["rejected"], "seq": 3], to: "finished"),
            .event(
                #"{"event": "spin"}"#, .livelock,
                "'spin' was undone: machine 'traps' did not settle within 1000 steps; these states went round: 'idle'",
                to: "trap"),
            .event(
                #"{"event": "break"}"#, .expressionFailed,
                "'break' was undone: 'assign label.size' of state 'idle', line 9, failed: 'label' is null, not a map",
                to: "trap"),
            .event(
                #"{"event": "pay"}"#, .eventNotAccepted, "order-1 does not accept 'pay' in state 'draft' (seq 1)",
                query: "?dryRun=true"),
            .event(
                #"{"event": "submit"}"#, .instanceNotFound, "There is no instance 'order-2'",
                ["instance": "order-2", "suggestion": "order-1"], to: "order-2"),
            .event(
                #"{"event": "submit"}"#, .instanceNotFound, "There is no instance 'a b'", ["instance": "a b"],
                to: "a%20b"),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func anEventsNameMustBeOneThatCallersMaySend() async throws {
        let prefixes = "'done.state.', 'done.invoke.', 'error.', 'after.'"
        let rule = "letters, digits, '_' and '-', in tokens joined by dots, the first character no digit, at most 200"
        let reserved = ["done.state.review", "done.invoke.x", "error.execution", "after.5s.draft"].map { name in
            BadRequest.event(
                #"{"event": "\#(name)"}"#, .reservedEvent,
                "The event name '\(name)' is reserved: names under \(prefixes) belong to the engine")
        }
        let invalid = ["", "1st", "a b", "a..b", ".a", "a.", "*", "pay.*"].map { name in
            BadRequest.event(#"{"event": "\#(name)"}"#, .invalidName, "'\(name)' is no event name: \(rule)")
        }
        let long = String(repeating: "-", count: 50)
        try await BadRequestStage().expect(
            reserved + invalid + [
                .event(#"{"event": "\#(long)"}"#, .invalidName, "'\(long.prefix(40))…' is no event name: \(rule)")
            ])
    }

    @Test(.timeLimit(.minutes(20))) func whatWasExpectedMustHold() async throws {
        let place = "order-1, in state 'draft' (seq 1), is not at"
        let form = "If-Match must be a seq in double quotes, such as \"5\""
        try await BadRequestStage().expect([
            .event(
                #"{"event": "submit", "expect": {"seq": 9}}"#, .preconditionFailed, "\(place) seq 9",
                ["instance": "order-1", "machine": "order", "state": ["draft"], "seq": 1]),
            .event(
                #"{"event": "submit", "expect": {"state": "review"}}"#, .preconditionFailed, "\(place) state 'review'"),
            .event(
                #"{"event": "submit", "expect": {"state": "nowhere"}}"#, .preconditionFailed,
                "\(place) state 'nowhere'"),
            // Before the machine is asked: what is not as expected is told also for an event that it refuses.
            .event(#"{"event": "pay", "expect": {"seq": 2}}"#, .preconditionFailed, "\(place) seq 2"),
            .event(
                #"{"event": "submit"}"#, .preconditionFailed, "\(place) seq 9", headers: [("If-Match", "\"9\"")]),
            .event(
                #"{"event": "submit", "expect": {"seq": 1}}"#, .invalidRequest,
                "'expect.seq' and If-Match do not agree", headers: [("If-Match", "\"2\"")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "1")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "\"\"")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "\"01\"")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "\"+1\"")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "W/\"1\"")]),
            .event(#"{"event": "submit"}"#, .invalidRequest, form, headers: [("If-Match", "\"one\"")]),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func keysThatAreNone() async throws {
        let detail =
            "The header Idempotency-Key is no key: 1 to 200 printable ASCII characters; a UUID of version 7 is best"
        let key = [(name: "Idempotency-Key", value: "\"\"")]
        let old = [(name: "Idempotency-Key", value: "0197b1d2-6a6e-7c1a-8a51-3f6d3c9a1f00")]
        let expired =
            "Key '0197b1d2-6a6e-7c1a-8a51-3f6d3c9a1f00' is of 2025-06-27T14:37:26.510Z, and it is NOW here: keys that old "
            + "are forgotten, and nobody knows whether it was used; look at the history; where the key is new, one of "
            + "the clocks is wrong"
        try await BadRequestStage().expect([
            .event(#"{"event": "submit"}"#, .invalidRequest, detail, headers: key),
            .event(#"{"event": "submit"}"#, .keyExpired, expired, headers: old),
            BadRequest(.post("/v1/instances", #"{"machine": "order"}"#, headers: key), .invalidRequest, detail),
            BadRequest(.post("/v1/instances", #"{"machine": "order"}"#, headers: old), .keyExpired, expired),
        ])
    }
}
