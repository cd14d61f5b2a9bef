import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests bodies that cannot be read, over HTTP: status, type and text of each answer.
@Suite struct BadBodyTests {
    @Test(.timeLimit(.minutes(20))) func aBodyThatIsNotJSONIsRefusedWithItsPlace() async throws {
        let prefix = "The body is not JSON: "
        let deep = #"{"event": "submit", "data": "# + String(repeating: "[", count: 128)
        try await BadRequestStage().expect([
            .event(
                #"{"event": "submit""#, .invalidRequest,
                prefix + "line 1, column 19: expected ',' or '}', found the end of the text"),
            .event(
                "{\n  event: 1}", .invalidRequest,
                prefix + "line 2, column 3: expected a key in double quotes, found 'e'"),
            .event("", .invalidRequest, prefix + "line 1, column 1: expected a value, found the end of the text"),
            .event(
                #"{"event": "a", "event": "b"}"#, .invalidRequest,
                prefix + "line 1, column 16: the key 'event' stands twice"),
            .event(
                #"{"event": "submit"} more"#, .invalidRequest,
                prefix + "line 1, column 21: expected nothing more after the value, found 'm'"),
            .event(
                #"{"event": "submit", "data": 01}"#, .invalidRequest,
                prefix + "line 1, column 30: expected ',' or '}', found '1'"),
            .event(
                #"{"event": "submit", "data": NaN}"#, .invalidRequest,
                prefix + "line 1, column 29: expected a value, found 'N'"),
            .event(
                deep, .invalidRequest, prefix + "line 1, column 156: nested deeper than 128 levels"),
            BadRequest(
                RawRequest(
                    "POST", "/v1/instances/order-1/events", headers: [("Content-Type", "application/json")]),
                .invalidRequest, prefix + "line 1, column 1: expected a value, found the end of the text"),
        ])
    }

    /// A number that fits neither an integer nor a double is 422.
    @Test(.timeLimit(.minutes(20))) func aNumberThatCannotBeKeptIsRefused() async throws {
        try await BadRequestStage().expect([
            .event(
                #"{"event": "submit", "data": 9223372036854775808}"#, .invalidData,
                "The body holds a number that cannot be kept: line 1, column 29: the integer 9223372036854775808 does "
                    + "not fit 64 bits"),
            .event(
                #"{"event": "submit", "data": 1e999}"#, .invalidData,
                "The body holds a number that cannot be kept: line 1, column 29: the number 1e999 does not fit a double"
            ),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func fieldsAreNamedWhenTheyAreUnknownMissingOrOfAnotherKind() async throws {
        let known = "(known here: event, data, expect)"
        try await BadRequestStage().expect([
            .event(
                #"{"event": "submit", "dat": 1}"#, .invalidRequest,
                "Unknown field 'dat' \(known); did you mean 'data'?"),
            .event(#"{"event": "submit", "x": 1}"#, .invalidRequest, "Unknown field 'x' \(known)"),
            .event(
                #"{"event": "submit", "expect": {"sqe": 1}}"#, .invalidRequest,
                "Unknown field 'expect.sqe' (known here: seq, state); did you mean 'seq'?"),
            .event(#"{"data": 1}"#, .invalidRequest, "Field 'event' is missing"),
            .event("{}", .invalidRequest, "Field 'event' is missing"),
            .event(#"{"event": 5}"#, .invalidRequest, "Field 'event' must be a string, not an int"),
            BadRequest(
                .post("/v1/instances/order-1/cancel", #"{"dryRun": null, "reason": "x"}"#), .invalidRequest,
                "Field 'dryRun' must be a bool, not null"),
            .event(#"{"event": null}"#, .invalidRequest, "Field 'event' must be a string, not null"),
            .event(
                #"{"event": "submit", "expect": 1}"#, .invalidRequest, "Field 'expect' must be a map, not an int"),
            .event(
                #"{"event": "submit", "expect": {"seq": 1.0}}"#, .invalidRequest,
                "Field 'expect.seq' must be an int, not a double"),
            .event("[]", .invalidRequest, "The body must be a map, not a list"),
            .event("7", .invalidRequest, "The body must be a map, not an int"),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func theMediaTypeMustBeTheOneThatIsTaken() async throws {
        let body = #"{"event": "submit"}"#
        let path = "/v1/instances/order-1/events"
        let order = try String(contentsOfFile: Programs.example("order"), encoding: .utf8)
        let definitions = "this route takes application/yaml or application/json"
        try await BadRequestStage().expect([
            BadRequest(
                .post(path, body, as: nil), .unsupportedMediaType,
                "The request has no Content-Type; this route takes application/json"),
            BadRequest(
                .post(path, body, as: "text/plain; charset=utf-8"), .unsupportedMediaType,
                "The request has Content-Type 'text/plain'; this route takes application/json"),
            BadRequest(
                .post("/v1/instances", #"{"machine": "order"}"#, as: "application/yaml"), .unsupportedMediaType,
                "The request has Content-Type 'application/yaml'; this route takes application/json"),
            BadRequest(
                .post("/v1/machines", order, as: "text/html"), .unsupportedMediaType,
                "The request has Content-Type 'text/html'; \(definitions)"),
            BadRequest(
                .post("/v1/machines", order, as: nil), .unsupportedMediaType,
                "The request has no Content-Type; \(definitions)"),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func aBodyOverAMebibyteIsRefusedHoweverItIsSent() async throws {
        let detail = "The body is larger than 1048576 bytes"
        let large = [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
        let json = (name: "Content-Type", value: "application/json")
        let chunk = Array("\(String(large.count, radix: 16))\r\n".utf8) + large + Array("\r\n0\r\n\r\n".utf8)
        let stage = try await BadRequestStage()
        for path in ["/v1/machines", "/v1/instances", "/v1/instances/order-1/events"] {
            try await stage.expect([
                BadRequest(RawRequest("POST", path, headers: [json], body: large), .payloadTooLarge, detail),
                BadRequest(
                    RawRequest(
                        "POST", path,
                        headers: [json, ("Transfer-Encoding", "chunked")], body: chunk),
                    .payloadTooLarge, detail),
            ])
            // The length alone is enough for the refusal: the body need not come.
            for length in ["99999999999", "9223372036854775808", "18446744073709551615"] {
                let request = RawRequest("POST", path, headers: [json, ("Content-Length", length)])
                try await stage.expect([BadRequest(request, .payloadTooLarge, detail)])
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func aBodyOfExactlyAMebibyteIsTaken() async throws {
        let stage = try await BadRequestStage()
        let frame = #"{"event": "submit", "data": ""}"#
        let text = String(repeating: "x", count: (1 << 20) - frame.utf8.count)
        let answer = try await stage.answer(
            to: .post("/v1/instances/order-1/events", #"{"event": "submit", "data": "\#(text)"}"#))
        #expect(answer.status == 200)
        #expect(try answer.object["seq"] == 2)
    }
}
