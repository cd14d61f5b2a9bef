import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests the streams that keep pages live: whose they are, where they go on, and that they end with their session.
@Suite(.timeLimit(.minutes(20))) struct ConsoleStreamTests {
    private static let target = "/console/stream?instance=hall"

    private static func reader(
        _ host: ConsoleHost, _ cookie: String?, at target: String = target, _ headers: [(String, String)] = []
    ) async throws -> EventReader {
        let all = headers.map { (name: $0.0, value: $0.1) } + (cookie.map { [("Cookie", $0)] } ?? [])
        return try await onOwnThread { [address = host.server.address] in
            try EventReader(target, of: address, headers: all)
        }
    }

    /// Returns the seqs of the next rows.
    private static func seqs(_ reader: EventReader, _ count: Int) async throws -> [String] {
        try await onOwnThread {
            try (0..<count).map { _ in
                let row = try JSONReader.value(from: reader.nextEvent()?.data ?? "null").object ?? JSONObject()
                return "\(row["instance"]?.string ?? "") \(JSONWriter.string(row["seq"] ?? .null))"
            }
        }
    }

    private static func flip(_ host: ConsoleHost, _ token: String) async throws {
        try await host.ask("/v1/instances/hall/events", #"{"event": "flip"}"#, token)
    }

    /// Requires that a stream ends or breaks off.
    private static func requireEnd(of reader: EventReader) async {
        let isOver = try? await onOwnThread {
            do {
                while try reader.next() != nil {}
            } catch {}
            return true
        }
        #expect(isOver == true)
    }

    @Test func aPageHearsOfItsInstanceAndGoesOnWhereItWas() async throws {
        let (host, cookie, token) = try await ConsolePartsTests.lit()
        let page = try await host.get("/console/instances/hall", cookie)
        let link = try #require(page.text.firstMatch(of: /data-stream=\x22([^\x22]+)\x22/).map { String($0.1) })
        // The row comes between the page and its stream.
        try await Self.flip(host, token)
        let reader = try await Self.reader(host, cookie, at: link.replacing("&amp;", with: "&"))
        #expect(reader.status == 200 && reader.headers["content-type"] == "text/event-stream")
        #expect(reader.headers["cache-control"] == "no-store" && reader.headers["content-security-policy"] != nil)
        #expect(try await Self.seqs(reader, 1) == ["hall 2"])
        try await Self.flip(host, token)
        let last = try await onOwnThread { try reader.nextEvent()?.id }
        try await Self.flip(host, token)
        let cursor = try #require(last)
        let again = try await Self.reader(host, cookie, at: "\(Self.target)&after=\(cursor)")
        #expect(try await Self.seqs(again, 1) == ["hall 4"])
        let header = try await Self.reader(host, cookie, [("Last-Event-ID", cursor)])
        #expect(try await Self.seqs(header, 1) == ["hall 4"])
        let machine = try await Self.reader(host, cookie, at: "/console/stream?machine=lamp&after=start")
        #expect(try await Self.seqs(machine, 4) == ["hall 1", "hall 2", "hall 3", "hall 4"])
        try await host.server.stop()
    }

    /// Changes of machines are in no history.
    @Test(arguments: ["machines", "activity", "machines/lamp", ""])
    func aPageHearsOfChangesThatAreNoRows(_ place: String) async throws {
        let (host, cookie, token) = try await ConsolePartsTests.lit()
        func link() async throws -> String {
            let page = try await host.get("/console/\(place)", cookie)
            let link = page.text.firstMatch(of: /data-stream=\x22([^\x22]+)\x22/).map { String($0.1) }
            return try #require(link).replacing("&amp;", with: "&")
        }
        func comments(_ reader: EventReader, _ count: Int) async throws -> [String] {
            try await onOwnThread { try (0..<count).map { _ in try reader.next()?.comment ?? "none" } }
        }
        let before = try await link()
        // The change comes between the page and its stream; the next one while it is open.
        try await host.ask("/v1/machines/lamp/retention", #"{"retention": "90d"}"#, token)
        let reader = try await Self.reader(host, cookie, at: before)
        #expect(try await comments(reader, 2) == ["change", ""])
        try await host.ask("/v1/machines", #"{"id": "bell", "initial": "a", "states": {"a": {}}}"#, token)
        #expect(try await comments(reader, 1) == ["change"])
        // A page that knows of all changes hears of none of them again.
        let later = try await Self.reader(host, cookie, at: try await link())
        #expect(try await comments(later, 1) == [""])
        try await Self.flip(host, token)
        #expect(try await onOwnThread { try later.next()?.event } == "transition")
        try await host.server.stop()
    }

    /// The ways in which a session ends.
    enum End: String, CaseIterable {
        case loggedOut, revoked, rotated, expired, idle
    }

    @Test(arguments: End.allCases) func aStreamEndsWithItsSession(_ end: End) async throws {
        let (host, _, token) = try await ConsolePartsTests.lit()
        let cookie = try await host.session(host.token("view", [.view], lasting: end == .expired ? 60 : nil))
        let reader = try await Self.reader(host, cookie)
        try await Self.flip(host, token)
        #expect(try await Self.seqs(reader, 1) == ["hall 2"])
        switch end {
        case .loggedOut:
            let value = try ConsoleHost.formValue(in: await host.get("/console/", cookie))
            #expect(try await host.post("/console/logout", "form=\(value)", cookie).status == 303)
        case .revoked: _ = try host.book.revoke("view", by: nil)
        case .rotated: _ = try host.book.rotate("view", overlap: nil, by: nil)
        case .expired: host.advance(seconds: 60)
        case .idle: host.advance(seconds: 3_600)
        }
        await Self.requireEnd(of: reader)
        #expect(try await host.get("/console/instances/hall", cookie, [("Wfd-Parts", "-")]).status == 401)
        #expect(try await Self.reader(host, cookie).status == 401)
        try await host.server.stop()
    }

    @Test func anOpenStreamIsNoUseOfASessionAndPartsAre() async throws {
        var limits = ConsoleSessions.Limits()
        limits.streams = 20
        let host = try await ConsoleHost(sessions: limits)
        let cookie = try await host.session(host.token("ops", [.view]))
        host.advance(seconds: 3_599)
        let reader = try await Self.reader(host, cookie, at: "/console/stream")
        #expect(reader.status == 200)
        host.advance(seconds: 1)
        await Self.requireEnd(of: reader)
        let other = try await host.session(host.token("other", [.view]))
        for _ in 1...13 {
            let reader = try await Self.reader(host, other, at: "/console/stream")
            #expect(reader.status == 200)
            host.advance(seconds: 3_300)
            #expect(try await host.get("/console/", other, [("Wfd-Parts", "-")]).status == 200)
        }
        host.advance(seconds: 3_300)
        #expect(try await Self.reader(host, other, at: "/console/stream").status == 401)
        try await host.server.stop()
    }

    @Test func aSessionHasFewStreamsAndAllHaveABound() async throws {
        var limits = ServerLimits()
        limits.streams = 6
        let host = try await ConsoleHost(server: limits)
        let (one, two) = (
            try await host.session(host.token("one", [.view])), try await host.session(host.token("two", [.view]))
        )
        var readers: [EventReader] = []
        for _ in 1...4 { readers.append(try await Self.reader(host, one, at: "/console/stream")) }
        let fifth = try await host.get("/console/stream", one)
        #expect(
            try fifth.status == 503
                && fifth.object["detail"]?.string == "4 pages of this session are live "
                    + "already; hide or close one of them"
        )
        for _ in 1...2 { readers.append(try await Self.reader(host, two, at: "/console/stream")) }
        #expect(readers.allSatisfy { $0.status == 200 })
        // Callers with as many give nothing away, so that none takes a place in turn.
        let three = try await host.session(host.token("two-more", [.view]))
        let proxy = try host.token("proxy", [.view], speaksFor: true)
        readers.append(try await Self.reader(host, three, at: "/console/stream"))
        let person = [("Authorization", "Bearer \(proxy)"), ("Wfd-On-Behalf-Of", "ada")]
        readers.append(try await Self.reader(host, nil, at: "/console/stream", person))
        #expect(readers.suffix(2).allSatisfy { $0.status == 200 })
        let full = try await host.get("/console/stream", two)
        #expect(try full.status == 503 && full.object["detail"] == "6 streams are open already")
        #expect(full.headers["content-type"] == "application/problem+json")
        readers.removeLast()
        try await eventually("there is room") { try await Self.reader(host, two, at: "/console/stream").status == 200 }
        withExtendedLifetime(readers) {}
        try await host.server.stop()
    }

    @Test func aStreamIsForThePagesOfThoseWhoMayRead() async throws {
        let (host, cookie, token) = try await ConsolePartsTests.lit()
        #expect(try await host.get(Self.target).status == 401)
        #expect(try await host.get(Self.target, "wfd-\(host.server.engine.storeID.text)=0").status == 401)
        #expect(try await host.get(Self.target, nil, [("Authorization", "Bearer \(token)")]).status == 401)
        for role in Role.allCases where !role.permissions.contains(.read) {
            let refused = try await host.get(Self.target, host.session(host.token("r-\(role.rawValue)", [role])))
            #expect(try refused.status == 403 && refused.object["roles"] != nil, "\(role)")
        }
        for headers in [
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "http://evil.example")],
        ] {
            #expect(try await host.get(Self.target, cookie, headers).status == 403, "\(headers)")
        }
        for (target, status) in [
            ("\(Self.target)&instance=hall", 400), ("\(Self.target)&after=7", 400), ("/console/stream?x=1", 400),
            ("\(Self.target)&machine=lamp", 400), ("/console/stream?instance=none", 404),
            ("/console/stream?instance=..%2F..%2Fv1%2Fstatus", 404), ("/console/stream?machine=none", 404),
        ] {
            let answer = try await host.get(target, cookie)
            #expect(try answer.status == status && answer.object["detail"] != nil, "\(target) \(answer.text)")
        }
        #expect(try await host.post(Self.target, "a=b", cookie).status == 405)
        try await host.server.stop()
    }

    @Test func theStreamOfAPersonBehindAProxyEndsWithTheToken() async throws {
        let (host, _, _) = try await ConsolePartsTests.lit()
        let proxy = try host.token("proxy", [.view], speaksFor: true)
        let person = [("Authorization", "Bearer \(proxy)"), ("Wfd-On-Behalf-Of", "ada")]
        let reader = try await Self.reader(host, nil, person)
        #expect(reader.status == 200)
        _ = try host.book.revoke("proxy", by: nil)
        await Self.requireEnd(of: reader)
        try await host.server.stop()
    }
}
