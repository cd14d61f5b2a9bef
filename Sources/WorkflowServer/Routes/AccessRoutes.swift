import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowStore

/// The routes about callers: who calls, and the tokens.
struct AccessRoutes: Sendable {
    let engine: Engine
    let access: AccessControl
    let sessions: ConsoleSessions

    func register(on routes: inout RouteHandlers) {
        routes.on(.whoami, isBrief: true) { request in Response(Whoami(request.identity)) }
        routes.on(.createSession) { try createSession($0) }
        routes.on(.listTokens) { _ in
            let (book, now) = (try book, try book.time)
            return Response(Page(items: book.tokens.map { $0.item(at: now) }))
        }
        routes.on(.createToken) { try await create($0) }
        routes.on(.rotateToken) { try await rotate($0) }
        routes.on(.revokeToken) { try await revoke($0) }
    }

    private var book: AccessBook {
        get throws {
            guard let book = access.book else {
                throw Problem(.notImplemented, detail: "This address keeps no tokens")
            }
            return book
        }
    }

    private func createSession(_ request: RoutedRequest) throws -> Response {
        let credentials = AccessControl.Credentials(of: request.head)
        guard let caller = access.sessionCaller(credentials, request.peer) else { throw AccessControl.unauthenticated }
        let code = SessionCode(
            loginCode: try sessions.makeCode(for: caller), expiresInSeconds: Int64(sessions.limits.code / .seconds(1)),
            actor: request.identity.actor?.rawValue, url: sessions.url)
        return Response(code, status: .created)
    }

    private func create(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: CreateTokenRequest.self)
        let book = try book
        let expires = try body.expiresIn.map { try Self.time($0, after: book.time, of: "expiresIn") }
        let done = try await change(request, in: book) { isAdmitted throws(AccessError) in
            try book.create(body, until: expires, by: request.caller.actor, if: isAdmitted)
        }
        return Response(done.record.item(done.token, at: book.time), status: .created)
    }

    private func rotate(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: RotateTokenRequest.self)
        let (book, name) = (try book, try request.value("token"))
        let overlap = try body.overlap.map { try Self.time($0, after: book.time, of: "overlap") }
        let done = try await change(request, in: book) { isAdmitted throws(AccessError) in
            try book.rotate(name, overlap: overlap, by: request.caller.actor, if: isAdmitted)
        }
        return Response(done.record.item(done.token, at: book.time))
    }

    private func revoke(_ request: RoutedRequest) async throws -> Response {
        let (book, name) = (try book, try request.value("token"))
        let record = try await change(request, in: book) { isAdmitted throws(AccessError) in
            try book.revoke(name, by: request.caller.actor, if: isAdmitted)
        }
        return Response(record.item(at: book.time))
    }

    /// Changes the tokens, and adds the change to the audit. The file has the change first: after a crash between the
    /// two, the next start adds it.
    private func change<Value>(
        _ request: RoutedRequest, in book: AccessBook, _ body: (() -> Bool) throws(AccessError) -> Value
    ) async throws -> Value {
        do {
            let value = try request.memory.changing { try body(request.isAdmitted) }
            await book.record(in: engine)
            return value
        } catch let error as AccessError {
            await book.record(in: engine)
            throw Problem(error)
        }
    }

    /// Returns the time after a delay such as `90d`.
    private static func time(_ delay: String, after now: WireTime, of field: String) throws -> WireTime {
        guard let milliseconds = try? DelayText.lengthWithUnit(of: delay), milliseconds > 0 else {
            throw Problem(
                .invalidData, detail: "Field '\(field)' must be a delay above zero, \(DelayText.formsWithUnit)")
        }
        let end = now.milliseconds.addingReportingOverflow(milliseconds)
        return WireTime(milliseconds: end.overflow ? .max : end.partialValue)
    }
}

extension Problem {
    fileprivate init(_ error: AccessError) {
        let type: ProblemType =
            switch error.code {
            case .noSuchToken: .tokenNotFound
            case .nameTaken: .tokenExists
            case .tooMany: .invalidData
            case .notAdmitted: .unauthenticated
            case .refused, .notWritten, .unknownName, .unanswered: .storageUnavailable
            }
        self = type == .unauthenticated ? AccessControl.unauthenticated : Problem(type, detail: error.description)
    }
}

extension Whoami {
    fileprivate init(_ identity: CallerIdentity) {
        self.init(
            actor: identity.actor?.rawValue, roles: identity.roles,
            permissions: Route.Permission.allCases.filter(identity.permissions.contains), queues: identity.queues,
            speaksFor: identity.speaksFor ? true : nil, expiresAt: identity.expires)
    }
}
