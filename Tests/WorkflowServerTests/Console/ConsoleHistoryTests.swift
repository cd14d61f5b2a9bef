import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowJSON

/// Tests the ways through a long history, and the history as a file.
@Suite(.timeLimit(.minutes(20))) struct ConsoleHistoryTests {
    private static let rows = 1_250

    /// A host with the instance `x:@~`-like name `a:b@c`, whose history is longer than two answers of the API.
    private struct Fixture {
        let host: ConsoleHost
        let cookie: String
        private let token: String
        static let name = "a:b@c"

        init() async throws {
            host = try await ConsoleHost()
            token = try host.token("ops", [.admin])
            cookie = try await host.session(token)
            _ = try await answer(
                .post("/v1/machines", #"{"id": "m", "initial": "a", "states": {"a": {"on": {"go": "a"}}}}"#))
            _ = try await answer(.post("/v1/instances", #"{"machine": "m", "instance": "\#(Self.name)"}"#))
            let line = #"{"instance": "\#(Self.name)", "event": "go", "data": {"text": "<b>"}}"#
            let lines = Array(repeating: line, count: rows - 1).joined(separator: "\n")
            let sent = try await answer(.post("/v1/events", lines, as: "application/x-ndjson"))
            try #require(sent.text.split(separator: "\n").count == rows - 1)
        }

        private func answer(_ request: RawRequest) async throws -> RawAnswer {
            var request = request
            request.headers.append(("Authorization", "Bearer \(token)"))
            let answer = try await host.server.answer(to: request)
            try #require((200..<300).contains(answer.status), "\(answer.text)")
            return answer
        }

        func get(_ rest: String) async throws -> RawAnswer {
            try await host.get("/console/instances/a%3Ab%40c\(rest)", cookie)
        }

        /// Returns all rows, as the API has them.
        func items() async throws -> [JSONValue] {
            var items: [JSONValue] = []
            var page = ""
            while true {
                let answer = try await answer(.get("/v1/instances/a%3Ab%40c/history?limit=500\(page)")).object
                guard case .array(let more)? = answer["items"] else { break }
                items += more
                guard let next = answer["nextPage"]?.string else { break }
                page = "&page=\(next)"
            }
            return items
        }
    }

    /// Returns the seqs of the rows that a page shows, and the addresses that lead to others.
    private static func shown(_ page: RawAnswer) throws -> (seqs: [Int], links: [String: String]) {
        let part = try #require(page.text.firstMatch(of: /<h2 id="history">(.*)<\/section>/.dotMatchesNewlines())).1
        let seqs = part.matches(of: /<th scope="row"><a [^>]*>([0-9]+)<\/a>/).compactMap { Int($0.1) }
        let links = part.matches(of: /<a href="([^"]*)">([A-Z][a-z]+)/).map { (String($0.2), String($0.1)) }
        return (seqs, Dictionary(links) { first, _ in first })
    }

    @Test func aHundredRowsAroundASeqLeadToAllOthers() async throws {
        let fixture = try await Fixture()
        let (newest, links) = try Self.shown(await fixture.get(""))
        #expect(newest == Array((1_151...1_250).reversed()))
        #expect(links["Newer"] == nil && links["Newest"] == nil)
        // Step by step to the oldest row, and back: every row once.
        for (word, all) in [("Older", Array((1...1_250).reversed())), ("Newer", Array(1...1_250))] {
            var target: String? = word == "Older" ? "" : "?rows=100"
            var seqs: [Int] = []
            while let next = target {
                let (rows, links) = try Self.shown(await fixture.get(next))
                // The newest page has as many rows as the others, some of them again.
                seqs += (word == "Older" ? rows : rows.reversed()).filter { !seqs.contains($0) }
                target = links[word].map { $0.replacing("/console/instances/a%3Ab%40c", with: "") }
                #expect(rows.count == (rows.first == 50 ? 50 : 100) && target?.hasSuffix("#history") ?? true)
                target = target?.replacing("#history", with: "")
            }
            #expect(seqs == all, "\(word)")
        }
        for (seq, first, last) in [(17, 1, 100), (60, 11, 110), (600, 551, 650), (1_230, 1_151, 1_250)] {
            let page = try await fixture.get("?seq=\(seq)")
            #expect(try Self.shown(page).seqs == Array((first...last).reversed()), "\(seq)")
            #expect(page.text.contains("aria-current=\"page\">\(seq)</a>"))
            #expect(page.text.contains("wfctl history --actors --from \(first) --limit 100 a:b@c"))
        }
        let (_, middle) = try Self.shown(await fixture.get("?seq=600"))
        #expect(middle["Older"] == "/console/instances/a%3Ab%40c?seq=600&amp;rows=550#history")
        #expect(middle["Newest"] == "/console/instances/a%3Ab%40c?seq=600&amp;rows=1250#history")
        for rows in ["0", "x", "-5"] {
            let page = try await fixture.get("?rows=\(rows)")
            #expect(page.text.contains("Parameter &#39;rows&#39; must be a seq"))
        }
        #expect(try Self.shown(await fixture.get("?rows=9223372036854775807")).seqs == newest)
        try await fixture.host.server.stop()
    }

    @Test func aTimeLeadsToTheLastRowUntilThen() async throws {
        let fixture = try await Fixture()
        let times = try await fixture.items().map { try #require($0.object?["at"]?.string) }
        for seq in [1, 2, 17, 500, 501, 1_000, 1_249, 1_250] {
            let time = times[seq - 1]
            let last = try #require(times.lastIndex(of: time)) + 1
            for text in [time, time.replacing("T", with: "%20").replacing("Z", with: "%20UTC")] {
                let page = try await fixture.get("?at=\(text)")
                #expect(page.text.contains("at seq \(last)</h1>"), "\(text) \(last)")
            }
        }
        for (text, seq) in [("2001-01-01", 1), ("2999-01-01%2003:30", 1_250), ("2999-01-01T03:30:01", 1_250)] {
            #expect(try await fixture.get("?at=\(text)").text.contains("at seq \(seq)</h1>"), "\(text)")
        }
        // 05:30 in Helsinki is 03:30 in UTC; `+` is `%2B` in a query.
        let utc = try Self.shown(await fixture.get("?at=\(times[499].prefix(10))T00:00"))
        for offset in ["T02:00%2B02:00", "T02:00:00%2B02:00", "%2002:00:00.000%20%2B02:00"] {
            let page = try await fixture.get("?at=\(times[499].prefix(10))\(offset)")
            #expect(try page.status == 200 && Self.shown(page).seqs == utc.seqs, "\(offset)")
        }
        #expect(try await fixture.get("?at=2999-01-01T00:00-09:00").text.contains("at seq 1250</h1>"))
        for text in [
            "yesterday", "2026", "2026-13-01", "2026-01-01%2025:00", "%3Cb%3E", "2026-01-01T00:00:00.000ZZ9",
            "2026-01-01T00:00%2B99:00", "2026-01-01T00:00%20CET",
        ] {
            let page = try await fixture.get("?at=\(text)")
            #expect(page.status == 400 && page.text.contains("must be a time in UTC"), "\(text)")
        }
        try await fixture.host.server.stop()
    }

    @Test func theNewestOfLargeRowsAreShownFirst() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.admin])
        let cookie = try await host.session(token)
        let large = #"{"event": "go", "data": "\#(String(repeating: "x", count: 700_000))"}"#
        let requests =
            [
                ("machines", #"{"id": "m", "initial": "a", "states": {"a": {"on": {"go": "a"}}}}"#),
                ("instances", #"{"machine": "m", "instance": "x"}"#),
            ] + Array(repeating: ("instances/x/events", large), count: 8)
        for (target, body) in requests {
            let headers = [(name: "Authorization", value: "Bearer \(token)")]
            let answer = try await host.server.answer(to: .post("/v1/\(target)", body, headers: headers))
            try #require((200..<300).contains(answer.status), "\(answer.text)")
        }
        // Wind through all of them, since few fit on one page.
        var target = "/console/instances/x"
        var seqs: [Int] = []
        while let page = Optional(try await host.get(target, cookie)) {
            let (rows, links) = try Self.shown(page)
            #expect(rows.count < 9 && !rows.isEmpty)
            seqs += rows.filter { !seqs.contains($0) }
            guard seqs.count < 9, let older = links["Older"] else { break }
            #expect(seqs == Array((10 - seqs.count...9).reversed()))
            target = older.replacing("#history", with: "")
        }
        #expect(seqs == Array((1...9).reversed()))
        try await host.server.stop()
    }

    @Test func theWholeHistoryIsAFileOfLines() async throws {
        let fixture = try await Fixture()
        let file = try await fixture.get("/history.jsonl")
        #expect(file.status == 200 && file.headers["content-type"] == "application/jsonl")
        #expect(file.headers["content-disposition"] == "attachment; filename=\"history-a_b_c.jsonl\"")
        #expect(file.headers["x-content-type-options"] == "nosniff" && file.headers["cache-control"] == "no-store")
        // It has no length, since it is sent while it is read.
        #expect(file.headers["content-length"] == nil && file.headers["transfer-encoding"] == "chunked")
        let lines = try file.text.split(separator: "\n").map { try JSONReader.value(from: String($0)) }
        #expect(lines == (try await fixture.items()))
        #expect(lines.count == Self.rows)
        try await fixture.host.server.stop()
    }

    @Test func aFileThatMayNotBeReadIsAPageWithTheReason() async throws {
        let host = try await ConsoleHost()
        let reader = try await host.session(host.token("reader", [.view]))
        let missing = try await host.get("/console/instances/none/history.jsonl", reader)
        #expect(missing.status == 404 && missing.text.contains("There is no instance &#39;none&#39;"))
        #expect(missing.headers["content-type"] == "text/html; charset=utf-8")
        #expect(missing.headers["content-disposition"] == nil)
        #expect(try await host.get("/console/instances/none/history.jsonl").status == 401)
        let worker = try await host.session(host.token("worker", [.work]))
        let refused = try await host.get("/console/instances/none/history.jsonl", worker)
        #expect(refused.status == 403 && refused.text.contains(" have"))
        #expect(try await host.post("/console/instances/none/history.jsonl", "", reader).status == 405)
        try await host.server.stop()
    }
}
