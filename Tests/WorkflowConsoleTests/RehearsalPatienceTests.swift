import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowConsole

/// Tests that a page does not wait for a rehearsal without an end.
@Suite(.timeLimit(.minutes(1))) struct RehearsalPatienceTests {
    /// A daemon that never comes to an end.
    private struct Endless: Transport {
        var address: Address { .tcp(host: "127.0.0.1", port: 1) }

        func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
            TransportAnswer(status: 404, mediaType: nil, body: [])
        }

        func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer {
            let (never, end) = AsyncStream.makeStream(of: [UInt8].self)
            return StreamedAnswer(
                status: 200, mediaType: LineStream.mediaType,
                body: AnswerBytes {
                    {
                        defer { end.finish() }
                        for await bytes in never { return bytes }
                        return nil
                    }
                })
        }

        func another() -> any Transport { self }

        func shutdown() async {}
    }

    @Test func aRehearsalThatTakesTooLongIsEnded() async throws {
        let visitor = Visitor(
            client: WorkflowClient(transport: Endless()), name: "a person", roles: [.operate], formValue: "f",
            hasSession: true, newKey: { "0" }, patience: .milliseconds(50))
        let form = try #require(
            FormRequest(
                words: ["many", "choose"],
                fields: [("verb", "retry"), ("matching", "yes"), ("select", #"{"machine":"order"}"#)]))
        guard case .page(let page) = await ConsolePages.act(form, for: visitor) else {
            Issue.record("no page")
            return
        }
        #expect(page.status == 503)
        #expect(page.html.contains("takes longer than a page waits"))
        #expect(page.html.contains("wfctl retry --machine order --dry-run"))
    }
}
