import Synchronization
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

@testable import WorkflowConsole  // Requests are made by pages alone; a page of another target has none of its own.

/// Tests that a page of a history of a million rows asks for few of them.
@Suite struct LongHistoryTests {
    /// Answers as a daemon with one instance of 1,000,000 rows, a second apart, and counts.
    private final class LongHistory: Transport {
        static let rows: Int64 = 1_000_000
        let asked = Mutex<[String]>([])
        let address = Address.tcp(host: "127.0.0.1", port: 1)

        func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
            asked.withLock { $0.append(request.target) }
            let text =
                switch request.target.split(separator: "/").last?.prefix(while: { $0 != "?" }) {
                case "history": #"{"items":[\#(items(request.target))]}"#
                case "x": instance
                default: #"{"items":[]}"#
                }
            return TransportAnswer(status: 200, mediaType: "application/json", body: Array(text.utf8))
        }

        private var instance: String {
            #"{"instance":"x","machine":"m","version":1,"status":"running","configuration":["a"],"context":{},"#
                + #""seq":\#(Self.rows),"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}"#
        }

        private func items(_ target: String) -> String {
            func number(_ name: String) -> Int64 {
                let text = target.split { "?&".contains($0) }.first { $0.hasPrefix("\(name)=") }
                return text.flatMap { Int64($0.dropFirst(name.count + 1)) } ?? 0
            }
            let first = number("after") + 1
            return (first..<first + number("limit")).map { seq in
                let at = WireTime(milliseconds: seq * 1_000).text
                return #"{"seq":\#(seq),"at":"\#(at)","kind":"event","event":"go","from":[],"to":[],"cursor":"c"}"#
            }.joined(separator: ",")
        }

        func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer {
            throw .problem(Problem(.overloaded, detail: "The test replays nothing"))
        }

        func another() -> any Transport { self }

        func shutdown() async {}
    }

    private func page(
        _ query: [(name: String, value: String)], _ history: LongHistory
    ) async -> String {
        let visitor = Visitor(
            client: WorkflowClient(transport: history), name: "a", roles: [], formValue: "", hasSession: true,
            newKey: { "key" })
        let request = PageRequest(words: ["instances", "x"], query: query, target: "/console/instances/x")
        return await ConsolePages.page(request, for: visitor).html
    }

    @Test(arguments: [1, 2, 499_999, 500_000, 777_777, 999_999, 1_000_000] as [Int64])
    func aTimeIsFoundWithFewRequests(seq: Int64) async {
        let history = LongHistory()
        let time = WireTime(milliseconds: seq * 1_000 + 999).text
        let page = await page([("at", time)], history)
        #expect(page.contains("<h1>x at seq \(seq)</h1>"))
        let searches = history.asked.withLock { $0.count { $0.contains("limit=1&") || $0.hasSuffix("limit=1") } }
        #expect((1...22).contains(searches), "\(searches)")
        // The page tells that a replay failed, and has all the rest.
        #expect(page.contains("The test replays nothing.") && page.contains("aria-current=\"page\">\(seq)</a>"))
    }

    @Test func aPageReadsAHundredRows() async {
        for (query, first) in [([], 999_901), ([("seq", "500000")], 499_951), ([("rows", "100")], 1)] {
            let history = LongHistory()
            let page = await page(query, history)
            let asked = history.asked.withLock { $0.filter { $0.contains("limit=100") } }
            #expect(asked == ["/v1/instances/x/history?limit=100" + (first == 1 ? "&after=0" : "&after=\(first - 1)")])
            #expect(page.matches(of: /<th scope="row"><a/).count == 100)
            #expect(history.asked.withLock { $0.count } <= 10)
        }
    }
}
