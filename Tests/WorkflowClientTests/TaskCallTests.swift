import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests the client's requests for workers, and the results that it makes of the answers.
struct TaskCallTests {
    private static func body(_ text: String) -> TransportRequest.Body {
        TransportRequest.Body(mediaType: "application/json", bytes: Array(text.utf8))
    }

    private func client(_ steps: ScriptedTransport.Step...) -> (WorkflowClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (WorkflowClient(transport: transport), transport)
    }

    /// The answer may take as long as the request asks to wait.
    @Test func tasksAreAskedFor() async throws {
        let time = WireTime(milliseconds: 0)
        let task = TaskItem(task: "0a", instance: "o", id: "packing", attempt: 1, key: "k", leasedUntil: time)
        let (client, transport) = client(.value(LeasedTasks(tasks: [task])), .json(#"{"tasks":[]}"#))
        #expect(try await client.lease(queue: "a.b", LeaseRequest(max: 2, wait: 60)) == [task])
        #expect(try await client.lease(queue: "a").isEmpty)
        #expect(
            transport.requests == [
                TransportRequest(
                    .post, "/v1/tasks/a.b/lease", body: Self.body(#"{"max":2,"wait":60}"#), extraTime: .seconds(60)),
                TransportRequest(.post, "/v1/tasks/a/lease", body: Self.body("{}")),
            ])
    }

    @Test func theEndOfATaskIsTold() async throws {
        let none = ScriptedTransport.Step.bytes([], as: "")
        let until = WireTime(milliseconds: 1_000)
        let (client, transport) = client(none, none, .value(Heartbeat(leasedUntil: until)))
        try await client.complete(task: "0a", result: Array("[1]".utf8))
        try await client.fail(task: "0a", FailRequest(message: "m", retry: false))
        #expect(try await client.prolong(task: "0a").leasedUntil == until)
        #expect(
            transport.requests == [
                TransportRequest(.post, "/v1/tasks/0a/complete", body: Self.body("[1]")),
                TransportRequest(.post, "/v1/tasks/0a/fail", body: Self.body(#"{"message":"m","retry":false}"#)),
                TransportRequest(.post, "/v1/tasks/0a/heartbeat", body: Self.body("{}")),
            ])
    }

    @Test func aLostLeaseIsAProblemThatNoPatienceHelpsAgainst() async throws {
        let (client, _) = client(.problem(Problem(.leaseLost, detail: "The lease is lost: x")))
        let error = await #expect(throws: ClientError.self) { try await client.complete(task: "0a", result: []) }
        #expect(error?.problem?.type == .leaseLost && error?.isTransient == false && error?.exitStatus == .other)
    }

    @Test func effectsAreAskedFor() async throws {
        let (client, transport) = client(.json(#"{"items":[]}"#))
        #expect(try await client.effects(.init(queues: ["stock"], states: [.ready])).items.isEmpty)
        #expect(transport.requests == [TransportRequest(.get, "/v1/effects?queue=stock&state=ready")])
    }
}
