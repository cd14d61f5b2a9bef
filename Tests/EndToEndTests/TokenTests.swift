import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient
import WorkflowJSON

/// Tests the life of tokens in a real daemon: creation, rotation, revocation, expiry, kills, backups.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct TokenTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let web: Address

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Self.daemon(in: folder)
        web = try Self.web(daemon)
        let machine = "{id: m, initial: a, states: {a: {on: {go: {}}}}}"
        _ = try await daemon.said("apply", folder.write(machine, to: "m.yaml"))
        _ = try await daemon.said("start", "m", "x")
    }

    private static func daemon(in folder: TemporaryFolder, database: String = "wfd.db") async throws -> Daemon {
        try await Daemon(in: folder, database: database, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
    }

    private static func web(_ daemon: Daemon) throws -> Address {
        try #require(daemon.addresses.first { if case .tcp = $0 { true } else { false } })
    }

    private func status(_ token: (name: String, value: String), _ address: Address? = nil) async throws -> Int {
        let request = RawRequest("GET", "/v1/machines", headers: [token])
        return try await onOwnThread { [web] in
            try RawConnection(to: address ?? web).answer(to: request).status
        }
    }

    /// Requests that last: what they send, and the text after which they wait.
    private static let lasting: [(request: [String], begun: String)] = [
        (["GET /v1/stream HTTP/1.1"], "200 OK"),
        (["GET /v1/instances/x/history?after=100&wait=60 HTTP/1.1"], ""),
        (["POST /v1/tasks/none/lease HTTP/1.1", "Content-Length: 12", "Content-Type: application/json"], ""),
        (["POST /v1/instances/x/events HTTP/1.1", "Content-Length: 90", "Content-Type: application/json"], ""),
        (["POST /v1/events HTTP/1.1", "Transfer-Encoding: chunked", "Content-Type: application/x-ndjson"], "200 OK"),
    ]

    private static let bodies = ["", "", #"{"wait": 20}"#, #"{"event": "#, ""]

    @Test(arguments: lasting.indices, ["revoke", "rotate", "expire"])
    func whatATokenHasOpenEndsWithIt(place: Int, how: String) async throws {
        let lasts = how == "expire" ? ["--expires", "3s"] : []
        let created = try await daemon.wfctl(
            ["token", "create", "t", "--role", "view,send,work"] + lasts)
        let secret = created.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let connection = try RawConnection(to: web)
        let (request, begun) = Self.lasting[place]
        // A request that comes too late is refused; then the connection ends too.
        let head = request + ["Host: localhost", "Connection: close", "Authorization: Bearer \(secret)", "", ""]
        try connection.write(Array(head.joined(separator: "\r\n").utf8) + Array(Self.bodies[place].utf8))
        if !begun.isEmpty, how != "expire" { _ = try connection.read(through: begun) }
        switch how {
        case "expire": break
        case "rotate": _ = try await daemon.wfctl("token", "rotate", "t")
        default: _ = try await daemon.said("token", "revoke", "t")
        }
        let rest = try connection.readToEnd()
        #expect(how == "expire" || !rest.contains("200 OK"), "\(rest)")
        #expect(try await status(("Authorization", "Bearer \(secret)")) == 401)
        #expect(try await daemon.json("show", "x")["seq"] == 1)
    }

    @Test func aTokenOutlivesKillsAndARevokedOneStaysRevokedAfterARestore() async throws {
        let kept = try await daemon.token("kept", "view")
        let revoked = try await daemon.token("revoked", "admin")
        _ = try await daemon.saidInTime("backup", folder.path("copy.db"))
        _ = try await daemon.said("token", "revoke", "revoked")
        try await daemon.kill()
        let next = try await Self.daemon(in: folder)
        #expect(try await status(kept, Self.web(next)) == 200)
        #expect(try await status(revoked, Self.web(next)) == 401)
        #expect(try await next.stop().end == .exited(0))
        let restored = try await Daemon.launch(
            ["restore", folder.path("copy.db"), "--database", folder.path("wfd.db")])
            .result()
        #expect(restored.end == .exited(0), "\(restored)")
        let last = try await Self.daemon(in: folder)
        #expect(try await status(kept, Self.web(last)) == 200)
        #expect(try await status(revoked, Self.web(last)) == 401)
        #expect(try await last.stop().end == .exited(0))
    }

    @Test func theSecretIsNowhereButWithItsCaller() async throws {
        let token = try await daemon.token("shop", "send,view")
        let secret = try #require(token.value.split(separator: "_").last)
        #expect(try await status(token) == 200)
        let event = RawRequest.post("/v1/instances/x/events", #"{"event": "go"}"#, headers: [token])
        let sent = try await onOwnThread { [web] in try RawConnection(to: web).answer(to: event) }
        #expect(sent.status == 200)
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        let listed = try await daemon.said("token", "list", "-o", "json")
        let history = try await daemon.said("history", "x", "--actors", "-o", "json")
        #expect(history.contains("token:shop") && listed.contains("shop"))
        _ = try await daemon.saidInTime("backup", folder.path("copy.db"))
        let result = try await daemon.stop()
        for text in [metrics, listed, history, result.errors, result.output] { #expect(!text.contains(secret)) }
        for name in try folder.names() {
            let path = folder.path(name)
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
            if name.hasPrefix("copy") { #expect(bytes.range(of: Data("wfdt_".utf8)) == nil) }
        }
    }

    @Test func aFileOfTokensThatCannotBeTrustedEndsTheStart() async throws {
        _ = try await daemon.token("shop", "send")
        #expect(try await daemon.stop().end == .exited(0))
        let path = folder.path("wfd.db.access")
        chmod(path, 0o644)
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        let refused = try await Daemon.launch(arguments).result()
        #expect(refused.end == .exited(65))
        #expect(refused.errors.contains("others may read or write it; 'chmod 600' it"), "\(refused.errors)")
        chmod(path, 0o600)
        rename(path, folder.path("elsewhere"))
        symlink(folder.path("elsewhere"), path)
        let linked = try await Daemon.launch(arguments).result()
        #expect(linked.end == .exited(65) && linked.errors.contains("it is a symbolic link"), "\(linked.errors)")
    }

    /// As after a move to another machine without the file.
    @Test func aMissingFileOfTokensIsToldIfThereWereTokens() async throws {
        let message = "the file of tokens is missing, so every token made before is unknown"
        let first = try await daemon.token("shop", "view")
        let path = folder.path("wfd.db.access")
        let begun = try await daemon.stop()
        #expect(!begun.errors.contains(message))
        #expect(rename(path, folder.path("elsewhere")) == 0)
        let next = try await Self.daemon(in: folder)
        let lines = try await next.program.errorLines(containing: message)
        #expect(lines[0].contains(" warning ") && lines[0].contains("file=\(path)"), "\(lines)")
        #expect(try await status(first, Self.web(next)) == 401)
        #expect(try await next.stop().end == .exited(0))
        #expect(rename(folder.path("elsewhere"), path) == 0)
        let last = try await Self.daemon(in: folder)
        #expect(try await status(first, Self.web(last)) == 200)
        #expect(try await !last.stop().errors.contains(message))
    }

    /// Returns a daemon that takes all tokens for old ones: most of the life of each is over.
    private func aged() async throws -> Daemon {
        #expect(try await daemon.stop().end == .exited(0))
        let path = folder.path("wfd.db.access")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let old = text.replacing(/"createdAt":"20../, with: #""createdAt":"2001"#)
        #expect(old != text)
        try old.write(toFile: path, atomically: false, encoding: .utf8)
        return try await Self.daemon(in: folder)
    }

    @Test func theListMarksWhatEndsSoonAndWhatOverlaps() async throws {
        _ = try await daemon.token("soon", "send", "--expires", "13d")
        _ = try await daemon.token("late", "send", "--expires", "15d")
        _ = try await daemon.saidInTime("token", "rotate", "late", "--overlap", "1h")
        #expect(try await !daemon.said("token", "list").contains("soon)"))
        let rows = try await aged().said("token", "list").split(separator: "\n").map(String.init)
        #expect(rows.count == 3 && rows[0].hasSuffix("   OVERLAP"), "\(rows)")
        #expect(rows[1].wholeMatch(of: /late .* 20\S+Z +20\S+Z/) != nil, "\(rows)")
        #expect(rows[2].wholeMatch(of: /soon .* 20\S+Z \(soon\) +-/) != nil, "\(rows)")
    }

    @Test func failuresAreCountedAndToldWithoutTheirCredentials() async throws {
        for _ in 0..<5 {
            #expect(
                try await status(("Authorization", "Bearer wfdt_00000000_" + String(repeating: "a", count: 43))) == 401)
        }
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        #expect(metrics.contains(#"wfd_refusals_total{type="unauthenticated"} 5"#))
        let lines = try await daemon.program.errorLines(containing: "requests without valid credentials were refused")
        #expect(lines[0].contains("last=tcp:127.0.0.1"), "\(lines)")
        let result = try await daemon.stop()
        #expect(!result.errors.contains("wfdt_"))
    }

    @Test func everyChangeIsInTheAuditAlsoOneWhoseRowACrashPrevented() async throws {
        _ = try await daemon.token("shop", "send,work")
        _ = try await daemon.saidInTime("token", "rotate", "shop", "--overlap", "1h")
        _ = try await daemon.said("token", "revoke", "shop")
        func details(_ daemon: Daemon) async throws -> [String] {
            try await daemon.json("audit", "--action", "token").elements.map { $0["detail"].string ?? "" }
        }
        let before = try await details(daemon)
        #expect(before.count == 3)
        #expect(before.first?.hasPrefix("revoked (") == true && before.last?.hasPrefix("created: send, work (") == true)
        try await daemon.kill()
        // As after a kill between the file and the row.
        let path = folder.path("wfd.db.access")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let more = #""unrecorded":[{"number":9000000000000,"token":"late","detail":"created: view (00000000)"}]"#
        let changed = text.replacing(/"unrecorded":\[.*?\]/, with: more)
            .replacing(/^\{"number":\d+/, with: #"{"number":9000000000000"#)
        #expect(changed != text)
        try changed.write(toFile: path, atomically: false, encoding: .utf8)
        let next = try await Self.daemon(in: folder)
        try await eventually("the row of the late change") {
            try await details(next).first == "created: view (00000000)"
        }
        #expect(try await next.wfctl("verify", "--all").end == .exited(0))
        #expect(try await next.stop().end == .exited(0))
    }

    @Test func statusWarnsOfTokensThatExpireSoon() async throws {
        _ = try await daemon.token("soon", "send", "--expires", "13d")
        _ = try await daemon.token("later", "send", "--expires", "15d")
        let monitor = try await daemon.token("monitor", "monitor")
        #expect(try await !daemon.said("status").contains("token:"))
        let daemon = try await aged()
        let status = try await daemon.said("status")
        #expect(status.contains("\ntoken:     soon expires at 20") && !status.contains("later"), "\(status)")
        let request = RawRequest("GET", "/v1/status", headers: [monitor])
        let web = try Self.web(daemon)
        let answer = try await onOwnThread { try RawConnection(to: web).answer(to: request) }
        #expect(answer.status == 200 && !answer.text.contains("soon"))
    }

    @Test func theVerbsSayWhatTheyDo() async throws {
        let created = try await daemon.wfctl("token", "create", "shop", "--role", "send,work", "--queue", "q,r.*")
        #expect(created.output.wholeMatch(of: #/wfdt_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}\n/#) != nil)
        #expect(created.errors == "shown once; actor 'token:shop': send, work\n")
        let again = try await daemon.wfctl("token", "create", "shop", "--role", "send")
        #expect(again.end == .exited(8), "\(again)")
        #expect(again.errors.contains("Token 'shop' exists; 'wfctl token rotate' gives it a new secret"))
        let unknown = try await daemon.wfctl("token", "revoke", "shopp")
        #expect(unknown.end == .exited(4) && unknown.errors.contains("There is no token 'shopp'"), "\(unknown)")
        let role = try await daemon.wfctl("token", "create", "s", "--role", "sender")
        #expect(role.end == .exited(64) && role.errors.contains("'sender' is no role"), "\(role)")
        let queue = try await daemon.wfctl("token", "create", "s", "--role", "view", "--queue", "q")
        #expect(queue.end == .exited(64) && queue.errors.contains("bounds the role 'work'"), "\(queue)")
        #expect(try await daemon.said("token", "revoke", "shop") == "shop: revoked\n")
        #expect(try await daemon.json("token", "list") == [])
        let whoami = try await daemon.json("whoami")
        #expect(whoami["roles"] == ["admin"] && whoami["actor"].string?.hasPrefix("uid:") == true)
    }
}
