import WorkflowAPI

/// A thing that a form of the console does, by one route of the API, which decides whether the caller may.
struct ConsoleAct: Sendable {
    /// Does it, and returns what is shown then. An error is shown as the page of its problem.
    typealias Body = @Sendable (_ name: String, FormRequest, Visitor) async throws -> ConsoleAnswer

    /// The first word of the form's path after `/console/act`. The second is the name of what it is done to.
    let word: StaticString
    /// The route that it uses.
    let route: Route
    let body: Body

    init(_ word: StaticString, by route: Route, _ body: @escaping Body) {
        (self.word, self.route, self.body) = (word, route, body)
    }

    /// Returns the address of the form.
    func link(_ name: String) -> Link { Link("act/", word, name) }

    /// All acts.
    static let all: [ConsoleAct] =
        [stopRun, resumeRun, undoRun, many] + ConfirmedAct.all.map(\.act) + InstanceVerb.all.map(\.act)
}

extension ConsolePages {
    /// Returns the page from which a form came, as far as its address tells; the overview for others.
    ///
    /// - Parameter words: The words of the form's address after `/console`.
    package static func origin(ofAct words: [String]) -> Link {
        // Proof: there are three.
        guard words.count == 3, let verb = InstanceVerb.named(words[1]) else { return Link() }
        return Link(form: verb.word, of: words[2])
    }

    /// Does what a form asks for.
    package static func act(_ request: FormRequest, for visitor: Visitor) async -> ConsoleAnswer {
        let name = request.words.count == 2 ? request.words[1] : nil  // Proof: there are two
        guard let name, let act = ConsoleAct.all.first(where: { "\($0.word)" == request.words.first }) else {
            return .page(problem(Problem(.routeNotFound, detail: "The console has no such form"), for: visitor))
        }
        // The route decides again. Here it is said before any part of a form is looked at.
        guard visitor.may(act.route) else { return .page(problem(visitor.forbidden(act.route), for: visitor)) }
        do {
            return try await act.body(name, request, visitor)
        } catch {
            return .page(problem(asProblem(error), for: visitor))
        }
    }
}
