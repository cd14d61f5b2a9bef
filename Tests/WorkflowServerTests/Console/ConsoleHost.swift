import DaemonTesting
import Foundation
import Synchronization
import WorkflowAPI
import WorkflowAccess
import WorkflowClient
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// A server on TCP with tokens, as a browser sees it, and a clock that a test moves.
struct ConsoleHost {
    let server: ServerHost
    let book: AccessBook
    private let passed: PassedTime

    init(
        sessions limits: ConsoleSessions.Limits = ConsoleSessions.Limits(), database: String? = nil,
        forwarder: Forwarder? = nil, server: ServerLimits = ServerLimits()
    ) async throws {
        let passed = PassedTime()
        let made = Mutex<AccessBook?>(nil)
        self.server = try await ServerHost(
            database: database,
            access: { database in
                let book = AccessBook {
                    WireTime(milliseconds: SystemClock().now().rawValue + passed.milliseconds)
                }
                try book.open(AccessFile(besideDatabase: database))
                made.withLock { $0 = book }
                return AccessControl(book)
            }, isOnTCP: true,
            sessions: ConsoleSessions(limits: limits) { .milliseconds(passed.milliseconds) },
            forwarder: forwarder, limits: server)
        guard let book = made.withLock({ $0 }) else { throw TestingError("no book") }
        self.book = book
        self.passed = passed
    }

    /// Lets time pass for codes, sessions and tokens.
    func advance(seconds: Int64) { passed.milliseconds += seconds * 1_000 }

    func token(_ name: String, _ roles: [Role], speaksFor: Bool = false, lasting: Int64? = nil) throws -> String {
        let until = lasting.map { WireTime(milliseconds: book.time.milliseconds + $0 * 1_000) }
        let request = CreateTokenRequest(name: name, roles: roles, speaksFor: speaksFor)
        return try book.create(request, until: until, by: nil).token.text
    }

    /// The host with its port, as a browser names it.
    var authority: String {
        guard case .tcp(let host, let port) = server.address else { return "" }
        return "\(host):\(port)"
    }

    var origin: (name: String, value: String) { ("Origin", "http://\(authority)") }

    /// Returns a code for the caller with a token.
    func code(_ token: String, for person: String? = nil) async throws -> String {
        var request = RawRequest("POST", "/v1/sessions", headers: [("Authorization", "Bearer \(token)")])
        if let person { request.headers.append(("Wfd-On-Behalf-Of", person)) }
        guard let code = try await server.answer(to: request).object["loginCode"]?.string else {
            throw TestingError("no code")
        }
        return code
    }

    /// Sends a request to the API, and requires that it succeeds.
    func ask(_ target: String, _ body: String, _ token: String) async throws {
        let request = RawRequest.post(target, body, headers: [("Authorization", "Bearer \(token)")])
        let answer = try await server.answer(to: request)
        guard (200..<300).contains(answer.status) else { throw TestingError("\(target): \(answer.text)") }
    }

    /// Gets a page.
    func get(_ target: String, _ cookie: String? = nil, _ headers: [(String, String)] = []) async throws -> RawAnswer {
        var request = RawRequest("GET", target, headers: headers.map { ($0.0, $0.1) })
        if let cookie { request.headers.append(("Cookie", cookie)) }
        request.hosts = [authority]
        return try await server.answer(to: request)
    }

    /// Sends a form, from a page of its own unless other headers are given.
    func post(
        _ target: String, _ form: String, _ cookie: String? = nil, headers: [(name: String, value: String)]? = nil
    ) async throws -> RawAnswer {
        var request = RawRequest.post(
            target, form, as: "application/x-www-form-urlencoded", headers: headers ?? [origin])
        if let cookie { request.headers.append(("Cookie", cookie)) }
        request.hosts = [authority]
        return try await server.answer(to: request)
    }

    /// Begins a session with a token, and returns its cookie.
    func session(_ token: String) async throws -> String {
        try Self.cookie(in: await post("/console/login", "token=\(token)"))
    }

    /// Returns the cookie that an answer sets, as a browser sends it back.
    static func cookie(in answer: RawAnswer) throws -> String {
        guard answer.status == 303, let cookie = answer.headers["set-cookie"] else {
            throw TestingError("no session: \(answer.status) \(answer.text)")
        }
        return String(cookie.prefix { $0 != ";" })
    }

    /// Returns the value in the forms of a page.
    static func formValue(in page: RawAnswer) throws -> String {
        guard let value = page.text.firstMatch(of: /name="form" value="([0-9a-f]{64})"/)?.1 else {
            throw TestingError("no form: \(page.text)")
        }
        return String(value)
    }
}

/// A time that a test moves.
private final class PassedTime: Sendable {
    private let time = Mutex<Int64>(0)
    var milliseconds: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
