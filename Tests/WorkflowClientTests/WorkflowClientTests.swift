import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests the client's requests, and the results that it makes of the answers.
struct WorkflowClientTests {
    private static let instance =
        #"{"instance":"o/1","machine":"order","version":1,"status":"running","configuration":["a"],"context":{},"#
        + #""seq":1,"createdAt":"2026-07-31T09:30:00.000Z","updatedAt":"2026-07-31T09:30:00.000Z","new":true}"#
    private static let machine =
        #"{"machine":"order","version":2,"digest":"ab","createdAt":"2026-07-31T09:30:00.000Z"}"#

    private func client(_ steps: ScriptedTransport.Step...) -> (WorkflowClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (WorkflowClient(transport: transport), transport)
    }

    @Test(arguments: [(201, true), (200, false)])
    func applyTellsWhetherTheVersionIsNew(status: Int, isNew: Bool) async throws {
        let (client, transport) = client(.json(Self.machine, status: status))
        let applied = try await client.apply(Array("id: order".utf8), as: .yaml)
        #expect(applied.isNew == isNew && applied.machine.version == 2)
        let body = TransportRequest.Body(mediaType: "application/yaml", bytes: Array("id: order".utf8))
        #expect(transport.requests == [TransportRequest(.post, "/v1/machines", body: body)])
    }

    @Test func machinesAreAskedFor() async throws {
        let (client, transport) = client(.json(#"{"items":[]}"#), .json(Self.machine), .json(Self.machine))
        _ = try await client.machines(PageParameters(limit: 2, page: "x"))
        _ = try await client.machine("order")
        _ = try await client.machine("order", version: 2)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/machines?limit=2&page=x", "/v1/machines/order", "/v1/machines/order/versions/2",
            ])
    }

    @Test func startSendsItsRequest() async throws {
        let (client, transport) = client(.json(Self.instance, status: 201))
        let instance = try await client.start(StartRequest(machine: "order", instance: "o/1"))
        #expect(instance.configuration == ["a"])
        let text = #"{"machine":"order","instance":"o/1"}"#
        let body = TransportRequest.Body(mediaType: "application/json", bytes: Array(text.utf8))
        #expect(transport.requests == [TransportRequest(.post, "/v1/instances", body: body)])
    }

    @Test func instancesAreAskedFor() async throws {
        let (client, transport) = client(
            .json(#"{"items":[],"nextPage":"n"}"#), .json(Self.instance), .json(#"{"items":[]}"#))
        #expect(try await client.instances(InstanceListParameters(statuses: [.failed])).nextPage == "n")
        #expect(try await client.instance("o/1").instance == "o/1")
        _ = try await client.events(ofInstance: "o/1")
        #expect(
            transport.requests.map(\.target) == [
                "/v1/instances?status=failed", "/v1/instances/o%2F1", "/v1/instances/o%2F1/events",
            ])
    }

    @Test func sendAsksForWhatItsParametersSay() async throws {
        let (client, transport) = client(
            .json(
                #"{"instance":"o","event":"pay","seq":2,"from":["a"],"to":["b"],"status":"running","#
                    + #""configuration":["b"],"context":{},"dryRun":true}"#))
        let answer = try await client.send(
            SendRequest(event: "pay", expect: Expectation(seq: 1)), to: "o",
            SendParameters(dryRun: true, detail: true))
        #expect(answer.dryRun == true)
        #expect(transport.requests.map(\.target) == ["/v1/instances/o/events?dryRun=true&detail=true"])
        #expect(transport.requests[0].body?.bytes == Array(#"{"event":"pay","expect":{"seq":1}}"#.utf8))
    }

    @Test func waitingForHistoryGetsMoreTime() async throws {
        let (client, transport) = client(.json(#"{"items":[]}"#))
        _ = try await client.history(ofInstance: "o", HistoryParameters(after: 3, wait: 20))
        #expect(
            transport.requests == [
                TransportRequest(.get, "/v1/instances/o/history?after=3&wait=20", extraTime: .seconds(20))
            ])
    }

    @Test func healthIsAskedFor() async throws {
        let (client, transport) = client(.json(#"{"status":"ok"}"#), .problem(Problem(.draining, detail: "stopping")))
        #expect(try await client.live() == Health(status: .live))
        await #expect(throws: ClientError.problem(Problem(.draining, detail: "stopping"))) {
            try await client.ready()
        }
        #expect(transport.requests.map(\.target) == ["/livez", "/readyz"])
    }

    @Test(arguments: [
        (404, "text/html", "x", "status 404 without a problem; is it wfd?"),
        (
            418, "application/problem+json", #"{"type":"new-thing","detail":"It is new"}"#,
            "status 418 with an unknown problem 'new-thing': It is new"
        ),
        (502, "application/problem+json", "Bad gateway", "status 502 with an unknown problem"),
        (200, "application/json", "{}", "Field 'instance' is missing"),
    ])
    func whatIsNoAnswerOfADaemonIsReported(status: Int, mediaType: String, body: String, reason: String) async {
        let answer = TransportAnswer(status: status, mediaType: mediaType, body: Array(body.utf8))
        let (client, _) = client(.success(answer))
        await #expect(throws: ClientError.protocolViolation(client.address, reason: reason)) {
            try await client.instance("o")
        }
    }

    @Test func shutdownReachesTheTransport() async {
        let (client, transport) = client()
        await client.shutdown()
        #expect(transport.isShutDown)
    }
}

struct ClientErrorTests {
    private static let address = Address.unix(path: "/run/w.sock")

    @Test(arguments: [
        (
            ClientError.unreachable(address, reason: "r"), "Cannot reach wfd at 'unix:/run/w.sock': r",
            CommandExit.unreachable, true
        ),
        (
            .notPermitted(address, reason: "r"), "Not permitted to connect to wfd at 'unix:/run/w.sock': r",
            .notPermitted, false
        ),
        (
            .answerLost(address, reason: "r"),
            "No answer from wfd at 'unix:/run/w.sock': r; it is unknown whether the request was carried out",
            .tryAgain, true
        ),
        (.problem(Problem(.overloaded, detail: "d")), "d", .tryAgain, true),
        (.problem(Problem(.instanceNotFound, detail: "d")), "d", .notFound, false),
        (
            .protocolViolation(address, reason: "r"), "Cannot understand the answer of 'unix:/run/w.sock': r", .other,
            false
        ),
    ])
    func errorsHaveAMessageAndAnExitCode(error: ClientError, text: String, exit: CommandExit, isTransient: Bool) {
        #expect(error.description == text)
        #expect(error.exitStatus == exit)
        #expect(error.isTransient == isTransient)
    }
}
