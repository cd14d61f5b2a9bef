package import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The pages of the console.
package enum ConsolePages {
    /// Returns the page that a request asks for. What the API refuses is shown in the words of its problem.
    package static func page(_ request: PageRequest, for visitor: Visitor) async -> Page {
        do {
            var content = try await content(of: request, for: visitor)
            content.stream = visitor.mayRead ? content.stream ?? stream(for: request) : nil
            return Page(request.isParts ? main(content) : frame(content, request, visitor))
        } catch {
            let problem = asProblem(error)
            let content = content(of: problem, request)
            return Page(
                request.isParts ? main(content) : frame(content, request, visitor), status: problem.type.status)
        }
    }

    /// Returns the problem for any error.
    static func asProblem(_ error: any Error) -> Problem {
        switch error {
        case let error as WireError: Problem(error)
        case let error as ClientError: error.asProblem
        default: Problem(.internalError, detail: "The page cannot be made")
        }
    }

    /// Returns the stream of a page that rows of any instance or recorded changes alter; `nil` for other pages.
    private static func stream(for request: PageRequest) -> Link? {
        switch request.words.first {
        case nil, "activity", "effects", "machines", "queues", "runs":
            request.values("instance").first.map { .stream(ofInstance: $0, for: request) }
                ?? .stream(ofMachines: [], for: request)
        default: nil
        }
    }

    private static func content(of request: PageRequest, for visitor: Visitor) async throws -> PageContent {
        switch request.words.count {
        case 0: try await Overview.content(visitor)
        case 1: try await list(request, visitor)
        case 2: try await item(request.words[1], request, visitor)  // Proof: there are two
        case 3 where request.words[0] == "instances": try await InstanceForm.content(request, visitor)
        default: throw noPage
        }
    }

    private static func list(_ request: PageRequest, _ visitor: Visitor) async throws -> PageContent {
        let client = visitor.client
        switch request.words.first {
        case "machines": return try await MachineList.content(request, client)
        case "instances": return try await InstanceList.content(request, visitor)
        case "effects": return try await EffectPages.effects(request, client)
        case "queues": return try await EffectPages.queues(request, client)
        case "runs": return try await RunPages.list(client)
        case "activity": return try await ActivityPage.content(request, client)
        default: throw noPage
        }
    }

    private static func item(
        _ name: String, _ request: PageRequest, _ visitor: Visitor
    ) async throws -> PageContent {
        switch request.words.first {
        case "machines": return try await MachinePage.content(name, request, visitor)
        case "instances": return try await InstancePage.content(name, request, visitor)
        case "queues": return try await QueuePage.content(name, visitor)
        case "runs": return try await RunPage.content(name, request, visitor)
        default: throw noPage
        }
    }

    private static var noPage: ClientError {
        .problem(Problem(.routeNotFound, detail: "The console has no such page; the links above lead to all there are"))
    }
}

// MARK: Pages without a session

extension ConsolePages {
    /// Returns the page that asks for a token or a code.
    ///
    /// - Parameters:
    ///   - reason: The reason why there is no session; `nil` if there was none.
    ///   - next: The target of the page to show afterwards, instead of the requested one.
    package static func login(because reason: String?, _ request: PageRequest, next: String? = nil) -> Page {
        let isLoginPage = request.words == ["login"] || request.words == ["logout"]
        let next = Link(target: next ?? (isLoginPage ? Link.root : request.target)) ?? Link()
        let content = PageContent("Log in", []) {
            if let reason { Tag.p(.class("bad")) { reason + "." } }
            Tag.section(.labelledBy("code")) {
                Tag.h2(.id("code")) { "With the command line" }
                Tag.p { "Where wfctl reaches this wfd, let it print an address, and open it within a minute:" }
                commandLine(["wfctl", "console"])
            }
            Tag.section(.labelledBy("with-token")) {
                Tag.h2(.id("with-token")) { "With a token" }
                Tag.form(.method("post"), .action(Link("login"))) {
                    Tag.input(.type("hidden"), .name("next"), .value(next.text))
                    Tag.p {
                        Tag.label(.for("token")) { "Token" }
                        Tag.input(
                            .type("password"), .id("token"), .name("token"), .required,
                            .autocomplete("current-password"), .placeholder("wfdt_…"))
                    }
                    Tag.p { Tag.button(.type("submit")) { "Log in" } }
                }
                Tag.p(.class("note")) {
                    "The browser gets a session instead of the token. It ends after an hour without use, after twelve "
                        + "hours, with its token, and when wfd starts again."
                }
            }
        }
        return Page(frame(content, nil, nil), status: request.words == ["login"] && reason == nil ? 200 : 401)
    }

    /// Returns the page that asks before a code is used.
    ///
    /// - Parameter name: The caller whose session begins.
    package static func code(_ code: String, of name: String) -> Page {
        let content = PageContent("Log in", []) {
            Tag.p {
                "This address begins a session as "
                Tag.strong { name }
                ". It can be used once."
            }
            Tag.form(.method("post"), .action(Link("login"))) {
                Tag.input(.type("hidden"), .name("code"), .value(code))
                Tag.p { Tag.button(.type("submit")) { "Log in as \(name)" } }
            }
        }
        return Page(frame(content, nil, nil))
    }

    /// Returns the page for a link of another site: it shows nothing, because the browser sends no session with it.
    package static func elsewhere(_ target: String) -> Page {
        let content = PageContent("A link from elsewhere", []) {
            Tag.p { "Another site's link led here. This one goes on to the console:" }
            Tag.p { Tag.a(.href(Link(target: target) ?? Link())) { target } }
        }
        return Page(frame(content, nil, nil))
    }

    /// Returns the page that answers a form.
    static func answer(_ content: PageContent, status: Int = 200, for visitor: Visitor) -> Page {
        Page(frame(content, nil, visitor), status: status)
    }

    /// Returns the page of a problem.
    package static func problem(_ problem: Problem, for visitor: Visitor?) -> Page {
        Page(frame(content(of: problem), nil, visitor), status: problem.type.status)
    }

    private static func content(of problem: Problem, _ request: PageRequest? = nil) -> PageContent {
        PageContent(problem.type.title, []) {
            note(problem)
            // A mistake in a condition of the list keeps the others.
            if let request, request.words == ["instances"] { InstanceList.filter(request) } else { wayOn }
        }
    }

    /// The links and the form that lead on from a problem.
    private static var wayOn: Markup {
        FilterForm(link: Link("instances"), request: PageRequest(words: [], query: [], target: "")).markup {
            FilterForm.field(
                "prefix", "Instance whose name begins with", in: PageRequest(words: [], query: [], target: ""))
        }
            + Tag.p {
                Tag.a(.href(Link())) { "Overview" }
                " · "
                Tag.a(.href(Link("machines"))) { "all machines" }
                " · "
                Tag.a(.href(Link("instances"))) { "all instances" }
            }
    }
}

// MARK: The frame

extension ConsolePages {
    private static let places: [(name: String, word: String, link: Link)] = [
        ("Overview", "", Link()), ("Machines", "machines", Link("machines")),
        ("Instances", "instances", Link("instances")), ("Effects", "effects", Link("effects")),
        ("Queues", "queues", Link("queues")), ("Runs", "runs", Link("runs")),
        ("Activity", "activity", Link("activity")),
    ]

    private static func frame(_ content: PageContent, _ request: PageRequest?, _ visitor: Visitor?) -> Markup {
        let head =
            Tag.meta(.charset("utf-8")) + Tag.meta(.name("viewport"), .content("width=device-width"))
            + Tag.title { "\(content.title) · wfd" } + Tag.link(.rel("stylesheet"), .href(Asset.stylesheet.link))
            + Tag.link(.rel("icon"), .href(Asset.icon.link)) + Markup(module: Asset.module)
        let done = (request?.done).flatMap { ConsoleAct.named($0) }.map { act in
            Tag.p(.id("done"), .status) { "Done: \(act.title)." }
        }
        let live =
            visitor == nil ? Markup() : Tag.p(.id("live"), .status) + (done ?? Markup()) + KeysDialog.markup
        return .page(head, header(request, visitor) + live + main(content))
    }

    private static func header(_ request: PageRequest?, _ visitor: Visitor?) -> Markup {
        Tag.a(.class("skip"), .anchor("content")) { "Skip to the content" }
            + Tag.header {
                Tag.a(.class("brand"), .href(Link())) { "wfd" }
                if let visitor {
                    Tag.nav(.label("Pages")) {
                        Tag.ul {
                            for place in places {
                                let isCurrent = request.map { ($0.words.first ?? "") == place.word } ?? false
                                Tag.li { Tag.a(.href(place.link), .current(isCurrent)) { place.name } }
                            }
                        }
                    }
                    Tag.div(.class("who")) {
                        KeysDialog.button
                        Tag.span { "\(visitor.name) · \(visitor.roles.map(\.rawValue).joined(separator: ", "))" }
                        if visitor.hasSession {
                            Tag.form(.method("post"), .action(Link("logout"))) {
                                Tag.input(.type("hidden"), .name("form"), .value(visitor.formValue))
                                Tag.button(.type("submit")) { "Log out" }
                            }
                        }
                    }
                }
            }
    }

    private static func main(_ content: PageContent) -> Markup {
        Tag.main(.id("content"), content.stream.map { .stream($0) }) {
            Tag.h1 { content.title }
            if !content.command.isEmpty { commandLine(content.command) }
            content.body
        }
    }

    /// Returns a command line as it can be pasted into a shell.
    static func commandLine(_ words: [String]) -> Markup {
        Tag.p(.class("command")) { Tag.code { words.map(ShellText.quoted).joined(separator: " ") } }
    }

    /// Returns a problem in its own words, with what helps.
    static func note(_ problem: Problem) -> Markup {
        Tag.div(.class("problem")) {
            Tag.p { Words.sentence(problem.detail) }
            // The detail names all the roles.
            if let role = problem.roles?.first {
                Tag.p { "'wfctl token create NAME --role \(role.rawValue)' makes a token that may." }
            }
            if let name = problem.suggestion, problem.type == .instanceNotFound {
                Tag.p {
                    "Is it "
                    Tag.a(.href(.instance(name))) { name }
                    "?"
                }
            } else if let name = problem.suggestion, problem.type == .machineNotFound {
                Tag.p {
                    "Is it "
                    Tag.a(.href(.machine(name))) { name }
                    "?"
                }
            }
            if problem.type == .seqNotFound, let name = problem.instance {
                Tag.p { Tag.a(.href(.instance(name))) { "Now" } }
            }
            if problem.type.retryAfterSeconds != nil { Tag.p { "Load the page again in a moment." } }
        }
    }

    /// Returns a part of a page that has its own request. If that is refused, the problem stands in its place, and the
    /// rest of the page stays.
    static func part(
        _ title: String, id: String, _ body: () async throws -> Markup
    ) async -> Markup {
        let content: Markup
        do {
            content = try await body()
        } catch {
            let problem = (error as? ClientError)?.asProblem
            content = note(problem ?? Problem(.internalError, detail: "This cannot be shown"))
        }
        return section(title, id: id) { content }
    }

    /// Returns a part of a page with its heading.
    static func section(_ title: String, id: String, @MarkupBuilder _ body: () -> Markup) -> Markup {
        Tag.section(.id("part-\(id)"), .part(id), .labelledBy(id)) {
            Tag.h2(.id(id)) { title }
            body()
        }
    }
}

extension ClientError {
    /// The problem of a refused request; for any other error one with its words.
    var asProblem: Problem { problem ?? Problem(.internalError, detail: description) }
}
