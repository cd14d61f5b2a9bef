import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowAccess
import WorkflowCalls
import WorkflowConsole
import WorkflowEngine
import WorkflowStore

/// Answers the requests of browsers below `/console/`: finds the session, lets the page be made as its caller, and adds
/// the headers that keep the page to itself.
struct ConsoleEndpoint: Sendable {
    let gate: RequestGate
    let access: AccessControl
    let sessions: ConsoleSessions
    let budget: AnswerBudget
    let engine: Engine
    /// False for a socket, which no browser reaches.
    let isOnTCP: Bool
    /// True if the address speaks TLS.
    let isEncrypted: Bool
    /// Each page is made of lists, and each list reserves a thirtieth of `budget`: most of it stays for other callers.
    /// As many pages may wait as can be live.
    private let pages = WorkTurns(8, waiting: 500, refusal: "Too many pages of the console are being made")
    /// The turns of renewals: a row may reach hundreds of pages at once. Each waits behind those before.
    private let turns = AnswerBudget(limit: 2, waiting: .seconds(30), givesMemoryBack: false)

    init(
        gate: RequestGate, access: AccessControl, sessions: ConsoleSessions, budget: AnswerBudget, engine: Engine,
        isOnTCP: Bool, isEncrypted: Bool
    ) {
        (self.gate, self.access, self.sessions, self.budget) = (gate, access, sessions, budget)
        (self.engine, self.isOnTCP, self.isEncrypted) = (engine, isOnTCP, isEncrypted)
    }

    /// Returns true for a request for the console. Somebody who opens the address alone in a browser wants it too.
    func takes(_ request: Request) -> Bool {
        let path = request.uri.path
        // A request that cannot be read, or that comes on too many connections, has this path too: the API answers it.
        if path == "/" {
            return isOnTCP && request.head.unreadable == nil && (request.method == .get || request.method == .head)
        }
        return path == "/console" || path.hasPrefix(Link.root)
    }

    /// Answers a request.
    func answer(
        _ request: Request, _ context: ServerContext, by api: RouterResponder<ServerContext>
    ) async -> Response {
        var response: Response
        do throws(Problem) {
            let turn = try await turn(of: request)
            defer { withExtendedLifetime(turn) {} }
            response = try await offLoop(for: .reading) { () async throws(Problem) in
                try await made(request, context, by: api)
            }
            response = try counted(response)
        } catch {
            if error.type == .unauthenticated { gate.failed(from: context.peer) }
            response = Response(ConsolePages.problem(error, for: nil))
            response.headers[.retryAfter] = error.type.retryAfterSeconds.map { String($0) }
            if error.type == .methodNotAllowed { response.headers[.allow] = Self.allowed(request.uri.path) }
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Returns the turn of a renewal, after a wait if necessary; `nil` for other requests.
    private func turn(of request: Request) async throws(Problem) -> AnswerBudget.Share? {
        guard request.headers[.wfdParts] != nil else { return nil }
        do {
            return try await turns.reserve(1)
        } catch {
            throw Problem(.overloaded, detail: "Too many pages of the console are renewed")
        }
    }

    /// Makes a page or carries out a form in its turn. A form has arrived by then, however slowly.
    private func inTurn<Made: Sendable>(_ make: () async -> Made) async throws(Problem) -> Made {
        do {
            return try await pages.take(make)
        } catch {
            // Otherwise the browser has gone, and nobody reads the answer.
            throw error as? Problem ?? Problem(.overloaded, detail: "The browser has closed its connection")
        }
    }

    /// Counts a large page like every other answer, until its caller has taken it.
    private func counted(_ response: Response) throws(Problem) -> Response {
        let bytes = response.body.contentLength ?? 0
        guard bytes > AnswerLimits.smallBytes else { return response }
        guard let share = budget.share(of: bytes) else { throw AnswerBudget.spent }
        return response.holding(share)
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; "
                + "trusted-types console"
        ),
        // With `no-referrer` browsers would send `Origin: null` with forms
        // (https://fetch.spec.whatwg.org/#origin-header). This policy names no page to other sites either.
        (.known("Referrer-Policy"), "same-origin"), (.cacheControl, "no-store"),
    ]
}

// MARK: Requests

extension ConsoleEndpoint {
    private func made(
        _ request: Request, _ context: ServerContext, by api: RouterResponder<ServerContext>
    ) async throws(Problem) -> Response {
        guard isOnTCP else {
            throw Problem(
                .routeNotFound,
                detail: "The console is not served on a socket; 'wfctl console' says where it is")
        }
        var head = request.head
        // A link on another page may lead here, to a page that shows nothing of wfd.
        let isElsewhere = head.isLinkElsewhere
        if isElsewhere { head.headerFields[.secFetchSite] = nil }
        let credentials = try gate.credentials(of: head).get()
        let words = try Self.words(of: request.uri.path)
        try Self.requireMethod(request.method, words)
        if request.uri.path == "/" { return .redirect(to: Link.root, status: .temporaryRedirect) }
        if request.uri.path == "/console" { return .redirect(to: Link.root, status: .permanentRedirect) }
        if words.count == 2, words.first == "assets", let asset = Asset.all.first(where: { $0.name == words.last }) {
            return Response(asset)
        }
        if isElsewhere { return Response(ConsolePages.elsewhere(head.path ?? "")) }
        guard let items = FormText.items(of: request.uri.query ?? "") else {
            throw Problem(.invalidParameter, detail: "The query is not percent-encoded text")
        }
        var page = PageRequest(
            words: words, query: items, target: head.path ?? "", parts: head.headerFields[.wfdParts])
        if request.method == .post { return try await post(request, page, credentials, context, by: api) }
        let isStream = words == Self.streamWords
        let session = session(of: head, isUse: !isStream)
        if isStream {
            return try await stream(items, head, credentials, session, context, by: api)
        }
        if words.isEmpty, let code = items.first(where: { $0.name == "code" })?.value {
            return codePage(code, page, context)
        }
        guard let visitor = try visitor(credentials, session, context, by: api, head.authority) else {
            return .login(because: session.secret == nil ? nil : Self.endedSession, page)
        }
        if let name = HistoryLines.instance(in: page) { return await history(of: name, for: visitor) }
        page.changes = engine.feed.recordedChanges
        page.cursor = await cursor
        return Response(try await inTurn { await ConsolePages.page(page, for: visitor) })
    }

    /// Answers with the whole history as a file.
    private func history(of name: String, for visitor: Visitor) async -> Response {
        do throws(Problem) {
            return Response(download: try await HistoryLines(of: name, for: visitor), within: budget)
        } catch {
            return Response(ConsolePages.problem(error, for: visitor))
        }
    }

    /// Answers with a stream, or with the problem in the API's form: a page reads it, and no person.
    private func stream(
        _ items: [(name: String, value: String)], _ head: HTTPRequest, _ credentials: AccessControl.Credentials,
        _ session: (secret: String?, caller: SessionCaller?), _ context: ServerContext,
        by api: RouterResponder<ServerContext>
    ) async throws(Problem) -> Response {
        guard let (caller, _) = try asked(credentials, session), let identity = access.identity(of: caller) else {
            return Response(WholeAnswer(problem: AccessControl.unauthenticated))
        }
        let inside = InsideTransport(api, within: context, as: identity, of: caller, for: head.authority)
        let secret = credentials.authorization == nil ? session.secret : nil
        do {
            return try await stream(
                items, after: head.headerFields[.lastEventID], of: caller, secret, by: inside)
        } catch {
            return Response(WholeAnswer(problem: error))
        }
    }

    /// The journal's last place; `nil` if it cannot be read, which the page itself will say.
    private var cursor: String? {
        get async {
            let last = try? await engine.lastPlace(by: Caller(nil, namespace: .default))
            return last.map { JournalCursor(generation: engine.generation, place: $0).text }
        }
    }

    /// Returns the words of a path after `/console`, percent-decoded.
    private static func words(of path: String) throws(Problem) -> [String] {
        let written = path.split(separator: "/").dropFirst()
        let words = written.compactMap(\.removingPercentEncoding)
        guard words.count == written.count else {
            throw Problem(.routeNotFound, detail: "The path is not percent-encoded text")
        }
        return words
    }

    private static let forms: [[String]] = [["login"], ["logout"]]

    private static func requireMethod(_ method: HTTPRequest.Method, _ words: [String]) throws(Problem) {
        switch method {
        case .post where forms.contains(words) || words.first == "act": return
        case .get where words != ["logout"] && words.first != "act": return
        case .head where words != ["logout"] && words.first != "act": return
        default:
            throw Problem(.methodNotAllowed, detail: "This page does not take \(method.rawValue.prefix(20))")
        }
    }

    private static func allowed(_ path: String) -> String {
        if path.hasSuffix("/logout") || path.hasPrefix("/console/act") { return "POST" }
        return path.hasSuffix("/login") ? "GET, HEAD, POST" : "GET, HEAD"
    }

    /// Returns the page that asks before it uses a code: a program that looks links up in advance sends no form.
    private func codePage(_ code: String, _ page: PageRequest, _ context: ServerContext) -> Response {
        guard let caller = sessions.caller(ofCode: code).flatMap({ access.identity(of: $0) }) else {
            return refused(Self.spentCode, page, context)
        }
        return Response(ConsolePages.code(code, of: caller.name))
    }

    private static let spentCode =
        "The code was used already, is older than a minute, or its caller may not call any more"
    private static let badToken = "The token is unknown, was revoked or has expired"

    /// Returns the login page after a login that failed.
    private func refused(
        _ reason: String, _ page: PageRequest, _ context: ServerContext, next: String? = Link.root
    ) -> Response {
        gate.failed(from: context.peer)
        return .login(because: reason, page, next: next)
    }
}

// MARK: Who asks

extension ConsoleEndpoint {
    /// Finds who asks; `nil` for nobody.
    private func visitor(
        _ credentials: AccessControl.Credentials, _ session: (secret: String?, caller: SessionCaller?),
        _ context: ServerContext, by api: RouterResponder<ServerContext>, _ authority: String?
    ) throws(Problem) -> Visitor? {
        guard let (caller, mark) = try asked(credentials, session) else { return nil }
        guard let identity = access.identity(of: caller) else {
            if let secret = session.secret { sessions.end(secret) }
            return nil
        }
        let transport = InsideTransport(api, within: context, as: identity, of: caller, for: authority)
        return Visitor(
            client: WorkflowClient(transport: transport), name: identity.name, roles: identity.roles,
            formValue: sessions.formValue(of: mark), hasSession: credentials.authorization == nil, newKey: newKey)
    }

    /// Makes a key with the engine's time. So a form that is too old is refused, instead of done again.
    private func newKey() -> String {
        var random = SystemRandomNumberGenerator()
        return IdempotencyKey.make(milliseconds: engine.now.rawValue, random: &random)
    }

    /// Returns the caller whom a proxy names, or else that of the session, with what stands for the session in forms.
    private func asked(
        _ credentials: AccessControl.Credentials, _ session: (secret: String?, caller: SessionCaller?)
    ) throws(Problem) -> (SessionCaller, mark: String)? {
        guard credentials.authorization != nil || credentials.person != nil else {
            return session.caller.flatMap { caller in session.secret.map { (caller, "session \($0)") } }
        }
        guard !credentials.areRepeated, !credentials.isPersonRepeated, let person = credentials.person,
            CallerIdentity.isPerson(person),
            let caller = access.sessionCaller(credentials, Peer(actor: nil)), case .token(let mark) = caller.credential,
            access.identity(of: caller) != nil
        else { throw Self.noBearer }
        return (caller, "proxy \(mark.id) \(person)")
    }

    private static let noBearer = Problem(
        .unauthenticated,
        detail: "The console takes a header with a token from a proxy alone: a token of 'wfctl token create "
            + "--speaks-for', with the person in Wfd-On-Behalf-Of")

    /// Returns the session of a request: its secret if there is a cookie, and its caller if it goes on.
    ///
    /// - Parameter isUse: False for a request that does not keep the session from ending.
    private func session(of head: HTTPRequest, isUse: Bool = true) -> (secret: String?, caller: SessionCaller?) {
        var found: (secret: String?, caller: SessionCaller?) = (nil, nil)
        for secret in SessionCookie.secrets(in: head, of: engine.storeID, isEncrypted: isEncrypted) {
            found = (secret, sessions.caller(ofSession: secret, isUse: isUse))
            if found.caller != nil { break }
        }
        return found
    }
}

// MARK: Forms

extension ConsoleEndpoint {
    /// The longest body of a form.
    private static let formBytes = 16 << 10
    /// The longest body of a form with data: percent-encoding makes three bytes of one.
    private static let actBytes = 4 * APILimits.bodyBytes

    private func post(
        _ request: Request, _ page: PageRequest, _ credentials: AccessControl.Credentials, _ context: ServerContext,
        by api: RouterResponder<ServerContext>
    ) async throws(Problem) -> Response {
        let scheme = try requireOwnOrigin(request.head)
        let isAct = page.words.first == "act"
        let session = session(of: request.head)
        // The long body of a stranger is not read.
        let asker = try asked(credentials, session)
        guard !isAct || asker != nil else {
            return .login(because: Self.endedForm, page, next: ConsolePages.origin(ofAct: page.words).text)
        }
        let fields = try await fields(of: request, upTo: isAct ? Self.actBytes : Self.formBytes)
        let words = isAct ? Array(page.words.dropFirst()) : []
        guard let form = FormRequest(words: words, fields: fields) else {
            let name = FormRequest.repeated(in: fields) ?? ""
            throw Problem(.invalidRequest, detail: "Field '\(name)' stands twice in the form; load its page again")
        }
        if page.words == ["login"] {
            return login(form, session.secret, isSecure: scheme == "https", page, context)
        }
        guard let (_, mark) = asker else { return .login(because: nil, page) }
        guard let value = form.text("form"),
            Digest(of: Array(value.utf8)) == Digest(of: Array(sessions.formValue(of: mark).utf8))
        else {
            if isAct,
                let visitor = try visitor(credentials, session, context, by: api, request.head.authority)
            {
                return Response(ConsolePages.ofAnotherSession(form, for: visitor))
            }
            throw Problem(
                .crossSite, detail: "The form is not one of this session. Nothing was done; load its page again")
        }
        if isAct {
            guard let visitor = try visitor(credentials, session, context, by: api, request.head.authority) else {
                return .login(because: Self.endedForm, page, next: ConsolePages.origin(ofAct: page.words).text)
            }
            return Response(try await inTurn { await ConsolePages.act(form, for: visitor) })
        }
        if let secret = session.secret { sessions.end(secret) }
        var response = Response.redirect(to: Link.root, status: .seeOther)
        response.headers.append(contentsOf: SessionCookie.removals(of: engine.storeID))
        return response
    }

    /// Refuses a form that no page of the address sent, and returns the page's scheme. Ports count: another port of the
    /// host is another's.
    private func requireOwnOrigin(_ head: HTTPRequest) throws(Problem) -> String {
        let origins = head.headerFields[values: .origin]
        let host = head.authority?.lowercased() ?? ""
        for scheme in isEncrypted ? ["https"] : ["http", "https"]
        where !host.isEmpty && origins.count == 1 && origins.first?.lowercased() == "\(scheme)://\(host)" {
            return scheme
        }
        throw Problem(.crossSite, detail: "The console takes forms from its own pages alone, and their Origin")
    }

    private static let endedSession = "The session has ended"
    private static let endedForm =
        "The session has ended. Nothing was done, and what was typed into the form was not kept"
    private static let noForm = Problem(.invalidRequest, detail: "The body is not a form")

    /// Reads the fields of a form in their order.
    private func fields(of request: Request, upTo bytes: Int) async throws(Problem) -> [(name: String, value: String)] {
        guard request.head.mediaTypeName == FormText.mediaType else {
            throw request.head.unsupportedMediaType(expected: FormText.mediaType)
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: bytes)
        } catch is NIOTooManyBytesError {
            throw Problem(.payloadTooLarge, detail: "The form is larger than \(bytes) bytes")
        } catch {
            throw Problem(.invalidRequest, detail: "The body cannot be read to its end")
        }
        let items = String(validating: body.readableBytesView, as: UTF8.self).flatMap(FormText.items)
        guard let items else { throw Self.noForm }
        return items
    }

    /// Begins a session with a code or a token, and ends the one that the browser had.
    private func login(
        _ form: FormRequest, _ former: String?, isSecure: Bool, _ page: PageRequest, _ context: ServerContext
    ) -> Response {
        let caller: SessionCaller?
        if let code = form.text("code") {
            caller = sessions.take(code: code)
        } else {
            let token = form.text("token")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            let credentials = AccessControl.Credentials(authorization: "Bearer \(token)")
            caller = access.book == nil ? nil : access.sessionCaller(credentials, context.peer)
        }
        guard let caller, access.identity(of: caller) != nil else {
            return form.text("code") == nil
                ? refused(Self.badToken, page, context, next: form.text("next"))
                : refused(Self.spentCode, page, context)
        }
        if let former { sessions.end(former) }
        let secret = sessions.begin(for: caller)
        let next = form.text("next").flatMap { Link(target: $0) }?.text ?? Link.root
        var response = Response.redirect(to: next, status: .seeOther)
        response.headers[.setCookie] = SessionCookie.text(
            secret, of: engine.storeID, isSecure: isEncrypted || isSecure)
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let wfdParts = known(PageRequest.partsHeader)
}
