import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests streams that are cut and continue.
struct StreamFollowTests {
    private static func item(_ seq: Int64) -> StreamItem {
        StreamItem(
            instance: "o", machine: "m", version: 1,
            row: HistoryItem(
                seq: seq, at: WireTime(milliseconds: 0), kind: "event", event: "e", from: ["a"], to: ["a"],
                cursor: "c\(seq)"))
    }

    private static func event(_ seq: Int64) -> String {
        "id: c\(seq)\nevent: transition\ndata: \(JSONWriter.string(item(seq)))\n\n"
    }

    private static func stream(_ text: String) -> ScriptedTransport.Step {
        .bytes(Array(text.utf8), as: "text/event-stream")
    }

    private static let down = ScriptedTransport.Step.failure(
        .unreachable(.unix(path: "/run/test.sock"), reason: "down"))

    /// Returns the rows in short form, and the end of the stream.
    private func told(
        _ transport: ScriptedTransport, _ parameters: StreamParameters = StreamParameters(), of name: String? = nil,
        patience: Duration = .seconds(10)
    ) async -> (news: [String], end: (any Error)?) {
        let follow = WorkflowClient(transport: transport).followTransitions(
            ofInstance: name, parameters, patience: patience, clock: NotedClock())
        var news: [String] = []
        do {
            for try await one in follow {
                switch one {
                case .transition(let item): news.append("\(item.row.seq)")
                case .reached(let cursor): news.append(cursor)
                case .cut(let error): news.append("cut \(error.code.rawValue)")
                }
            }
            return (news, nil)
        } catch {
            return (news, error)
        }
    }

    @Test func rowsAreGivenOnceOverCuts() async {
        let half = String(Self.event(3).dropLast(2))
        let problem = Problem(.generationChanged, detail: "changed")
        let transport = ScriptedTransport([
            Self.stream(":\nid: c0\n\n" + Self.event(1) + Self.event(2) + half), Self.down, Self.down,
            Self.stream(":\nid: c2\n\n:\r\n\r\nretry: 7\n\n" + Self.event(3)), .problem(problem),
        ])
        let (news, end) = await told(transport, StreamParameters(machines: ["m"], events: ["pay.*"]))
        #expect(news == ["c0", "1", "2", "cut answer-lost", "c2", "3", "cut answer-lost"])
        #expect((end as? ClientError)?.problem == problem)
        let after = ["", "&after=c2", "&after=c2", "&after=c2", "&after=c3"]
        #expect(transport.requests.map(\.target) == after.map { "/v1/stream?machine=m&event=pay.%2A" + $0 })
        #expect(Set(transport.requests.map(\.accepted)) == ["text/event-stream"])
    }

    @Test func aProblemInTheStreamEndsItUnlessItPasses() async {
        let later = JSONWriter.string(Problem(.overloaded, detail: "later"))
        let broken = JSONWriter.string(Problem(.databaseDamaged, detail: "damaged"))
        let transport = ScriptedTransport([
            Self.stream("event: problem\ndata: \(later)\n\n"),
            Self.stream(Self.event(1) + "event: problem\ndata: \(broken)\n\n"),
        ])
        let (news, end) = await told(transport, of: "o/1")
        #expect(news == ["cut problem", "1"])
        #expect((end as? ClientError)?.problem?.type == .databaseDamaged)
        #expect(transport.requests.map(\.target) == ["/v1/instances/o%2F1/stream", "/v1/instances/o%2F1/stream"])
    }

    @Test func whoWasNeverConnectedIsToldAtOnce() async {
        let transport = ScriptedTransport([Self.down, Self.stream(Self.event(1))])
        let (news, end) = await told(transport)
        #expect(news.isEmpty && (end as? ClientError)?.code == .unreachable)
    }

    @Test func patienceHasAnEnd() async {
        let steps = [Self.stream(Self.event(1))] + Array(repeating: Self.down, count: 20)
        let transport = ScriptedTransport(steps)
        let (news, end) = await told(transport, patience: .seconds(2))
        #expect(news == ["1", "cut answer-lost"])
        #expect((end as? ClientError)?.code == .unreachable)
        // 100, 200, 400, 800, 1,600 ms: then it has waited for more than two seconds.
        #expect(transport.requests.count == 1 + 6)
    }

    @Test func whatIsNoEventIsNotUnderstood() async {
        let transport = ScriptedTransport([Self.stream("event: transition\ndata: {\"seq\": 1}\n\n")])
        let (_, end) = await told(transport)
        #expect((end as? ClientError)?.code == .protocolViolation)
        let other = ScriptedTransport([.json("{}")])
        #expect((await told(other).end as? ClientError)?.code == .protocolViolation)
    }
}
