import WorkflowAPI

/// A thing that a form of the console does, by one route of the API, which decides whether the caller may.
struct ConsoleAct: Sendable {
    /// Does it, and returns what is shown then. An error is shown as the page of its problem.
    typealias Body = @Sendable (_ name: String, FormRequest, Visitor) async throws -> ConsoleAnswer

    /// The first word of the form's path after `/console/act`. The second is the name of what it is done to.
    let word: StaticString
    /// The words for what was done.
    let title: String
    /// The route that it uses.
    let route: Route
    let body: Body

    init(_ word: StaticString, _ title: String, by route: Route, _ body: @escaping Body) {
        (self.word, self.title, self.route, self.body) = (word, title, route, body)
    }

    /// Returns the address of the form.
    func link(_ name: String) -> Link { Link("act/", word, name) }

    /// All acts.
    static let all: [ConsoleAct] =
        [stopRun, resumeRun, undoRun, many] + ConfirmedAct.all.map(\.act) + InstanceVerb.all.map(\.act)

    static func named(_ word: String?) -> ConsoleAct? { all.first { "\($0.word)" == word } }
}

extension ConsolePages {
    /// Returns the page from which a form came, as far as its address tells; the overview for others.
    ///
    /// - Parameter words: The words of the form's address after `/console`.
    package static func origin(ofAct words: [String]) -> Link {
        guard words.count == 3 else { return Link() }
        let (act, name) = (words[1], words[2])  // Proof: there are three
        if let verb = InstanceVerb.named(act) { return Link(form: verb.word, of: name) }
        if act == "many" { return Link("instances") }
        if act == "set-queue" { return Link("queues", name) }
        if act.hasSuffix("-machine") { return .machine(name) }
        return act.hasSuffix("-run") ? Link("runs", name) : Link()
    }

    /// Returns the page for a form that another session made: nothing was done, and what was typed is kept. Its button
    /// rehearses once more what can be rehearsed.
    package static func ofAnotherSession(_ form: FormRequest, for visitor: Visitor) -> Page {
        let content = PageContent("The session has changed", []) {
            Tag.p(.class("problem")) {
                "Nothing was done: field 'form' is not of this session. The page was made before the last login, and "
                    + "you are \(visitor.name) now."
            }
            if form.words.count == 2, let act = ConsoleAct.named(form.words[0]) {  // Proof: there are two
                VerbForm(act, form.words[1], for: visitor).markup("Go on as \(visitor.name)") {
                    Words.facts(typed(form.kept))
                    for field in form.kept { FormField.hidden(field.name, field.value) }
                }
            }
            Tag.p { Tag.a(.href(origin(ofAct: ["act"] + form.words))) { "Back to the form" } }
        }
        return answer(content, status: 403, for: visitor)
    }

    private static func typed(_ fields: [(name: String, value: String)]) -> [(String, Markup?)] {
        fields.filter { $0.name != "step" }.map { field in (field.name, Tag.code { field.value }) }
    }

    /// Does what a form asks for.
    package static func act(_ request: FormRequest, for visitor: Visitor) async -> ConsoleAnswer {
        let name = request.words.count == 2 ? request.words[1] : nil  // Proof: there are two
        guard let name, let act = ConsoleAct.named(request.words.first) else {
            return .page(problem(Problem(.routeNotFound, detail: "The console has no such form"), for: visitor))
        }
        // The route decides again. Here it is said before any part of a form is looked at.
        guard visitor.may(act.route) else { return .page(problem(visitor.forbidden(act.route), for: visitor)) }
        do {
            let answer = try await act.body(name, request, visitor)
            if case .seeOther(let link) = answer { return .seeOther(link.after(act)) }
            return answer
        } catch {
            return .page(problem(asProblem(error), for: visitor))
        }
    }
}
