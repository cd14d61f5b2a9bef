import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests routes, methods, parameters and page tokens that are refused, over HTTP: status, type and text of each answer.
@Suite struct BadQuestionTests {
    @Test(.timeLimit(.minutes(20))) func aRouteThatIsNotThereIsNamed() async throws {
        let cases = ["/", "/v1", "/v2/machines", "/v1/instances/order-1/event", "/V1/machines", "/v1/machines/order/x"]
        try await BadRequestStage().expect(
            cases.map { .get($0, .routeNotFound, "There is no route GET \($0)") } + [
                .get("/v1/instances/%zz", .routeNotFound, "The path is not percent-encoded text"),
                .get(
                    "/v1/instances/order-2", .instanceNotFound, "There is no instance 'order-2'",
                    ["instance": "order-2", "suggestion": "order-1"]),
                .get("/v1/instances/nobody/history", .instanceNotFound, "There is no instance 'nobody'"),
                .get("/v1/instances/nobody/events", .instanceNotFound, "There is no instance 'nobody'"),
            ])
    }

    @Test(.timeLimit(.minutes(20))) func aMethodThatARouteDoesNotTakeIsAnsweredWithThoseThatItTakes() async throws {
        let stage = try await BadRequestStage()
        for (method, path, allowed) in [
            ("DELETE", "/v1/machines", "GET, POST, HEAD, OPTIONS"), ("PUT", "/v1/machines/order", "GET, HEAD, OPTIONS"),
            ("POST", "/v1/machines/order/versions/1", "GET, HEAD, OPTIONS"),
            ("PATCH", "/v1/instances", "GET, POST, HEAD, OPTIONS"),
            ("PUT", "/v1/instances/order-1", "DELETE, GET, HEAD, OPTIONS"),
            ("PUT", "/v1/instances/order-1/events", "GET, POST, HEAD, OPTIONS"),
            ("POST", "/v1/instances/order-1/history", "GET, HEAD, OPTIONS"), ("POST", "/livez", "GET, HEAD, OPTIONS"),
            ("DELETE", "/readyz", "GET, HEAD, OPTIONS"),
        ] {
            let request = RawRequest(method, path)
            try await stage.expect([
                BadRequest(request, .methodNotAllowed, "\(path) does not take \(method); it takes \(allowed)")
            ])
            #expect(try await stage.answer(to: request).headers["allow"] == allowed)
        }
    }

    @Test(.timeLimit(.minutes(20))) func aParameterThatIsUnknownRepeatedOrWrongIsNamed() async throws {
        let history = "/v1/instances/order-1/history"
        let limit = "Parameter 'limit' must be a whole number from 1 to 500, not"
        try await BadRequestStage().expect([
            .get(
                "/v1/instances?lmit=5", .invalidParameter,
                "Unknown parameter 'lmit' (known here: prefix, machine, version, status, state, olderThan, ahead, "
                    + "failure, where, sort, limit, page); did you mean 'limit'?"),
            .get("/v1/instances?limit=0", .invalidParameter, "\(limit) '0'"),
            .get("/v1/instances?limit=501", .invalidParameter, "\(limit) '501'"),
            .get("/v1/instances?limit=ten", .invalidParameter, "\(limit) 'ten'"),
            .get("/v1/instances?limit=05", .invalidParameter, "\(limit) '05'"),
            .get("/v1/instances?limit=", .invalidParameter, "Parameter 'limit' must not be empty"),
            .get("/v1/instances?limit=1&limit=2", .invalidParameter, "Parameter 'limit' stands twice"),
            .get("/v1/instances?state=%zz", .invalidParameter, "The query is not percent-encoded text"),
            .get(
                "/v1/instances?status=dead", .invalidParameter,
                "Parameter 'status' must be one of 'running', 'done', 'failed', 'suspended', 'cancelled', not 'dead'"),
            .get(
                "\(history)?after=-1", .invalidParameter,
                "Parameter 'after' must be a whole number of at least 0, not '-1'"),
            .get(
                "\(history)?reverse=yes", .invalidParameter, "Parameter 'reverse' must be true or false, not 'yes'"),
            .get(
                "\(history)?wait=61", .invalidParameter,
                "Parameter 'wait' must be a whole number from 0 to 60, not '61'"),
            .get(
                "\(history)?wait=1&reverse=true", .invalidParameter,
                "Parameter 'wait' does not go with 'reverse': new rows come at the end"),
            .get(
                "/v1/instances/order-1?detail=true", .invalidParameter,
                "Unknown parameter 'detail' (known here: seq)"),
            .get(
                "/v1/instances/order-1/events?limit=1", .invalidParameter,
                "Unknown parameter 'limit' (none is known here)"),
            .event(
                #"{"event": "submit"}"#, .invalidParameter,
                "Unknown parameter 'dryrun' (known here: dryRun, detail, explain); did you mean 'dryRun'?",
                query: "?dryrun=true"),
            BadRequest(
                .post("/v1/machines?force=1", "id: m", as: "application/yaml"), .invalidParameter,
                "Unknown parameter 'force' (known here: activate)"),
            BadRequest(
                .post("/v1/instances?x=1", #"{"machine": "order"}"#), .invalidParameter,
                "Unknown parameter 'x' (none is known here)"),
        ])
    }

    /// The cursors are of an unknown partition, of a number that is never assigned, or no cursors at all.
    @Test(.timeLimit(.minutes(20))) func aCursorMustBeOneThatWasGiven() async throws {
        let stage = try await BadRequestStage()
        let cursors = ["1.1.5", "1.1024.5", "1.-1.5", "1.0.0", "1.0.281474976710656", "1.0", "1.0.5.5", "a.0.5"]
            .map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }
        try await stage.expect(
            (cursors + ["x"]).map { cursor in
                .get(
                    "/v1/instances/finished/history?cursor=\(cursor)", .invalidParameter,
                    "Parameter 'cursor' must be the cursor of a row as it was given, not '\(cursor)'")
            })
        let first = Data("1.0.1".utf8).base64EncodedString().replacing("=", with: "")
        let rows = try await stage.answer(to: .get("/v1/instances/finished/history?cursor=\(first)"))
        #expect(try rows.object["items"].map { $0.elements.isEmpty } == false)
    }

    @Test(.timeLimit(.minutes(20))) func aPageTokenMustBeOneOfTheSameList() async throws {
        let stage = try await BadRequestStage()
        func token(_ target: String) async throws -> String {
            let answer = try await stage.answer(to: .get(target))
            return try #require(answer.object["nextPage"]?.string)
        }
        let machines = try await token("/v1/machines?limit=1")
        let instances = try await token("/v1/instances?limit=1")
        let orders = try await token("/v1/instances?limit=1&machine=order")
        let history = try await token("/v1/instances/finished/history?limit=1")
        let noToken =
            "The page token is not one of ours; begin again without it, or use 'nextPage' as it was given"
        let other = "The page token belongs to another list; keep the other parameters as they were"
        let garbage = ["x", "!!!", "AAAA", "W10", "WyJtIl0", "WyJoIiwxLHRydWUsLTFd", String(machines.dropLast(3))]
        try await stage.expect(
            garbage.map { .get("/v1/machines?page=\($0)", .invalidPageToken, noToken) } + [
                .get("/v1/machines?page=\(instances)", .invalidPageToken, other),
                .get("/v1/instances?page=\(machines)", .invalidPageToken, other),
                .get("/v1/instances?page=\(orders)", .invalidPageToken, other),
                .get("/v1/instances?machine=traps&page=\(orders)", .invalidPageToken, other),
                .get("/v1/instances?machine=order&status=done&page=\(orders)", .invalidPageToken, other),
                .get("/v1/instances/order-1/history?page=\(history)", .invalidPageToken, other),
                .get("/v1/instances/finished/history?reverse=true&page=\(history)", .invalidPageToken, other),
                .get("/v1/instances/finished/history?page=\(machines)", .invalidPageToken, other),
            ])
        let next = try await stage.answer(to: .get("/v1/instances/finished/history?page=\(history)"))
        #expect(try next.object["items"].map { $0.elements.count } == 2)
    }
}
