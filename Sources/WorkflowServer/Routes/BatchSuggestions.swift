import WorkflowAPI
import WorkflowEngine

/// The instances that lines of one body probably meant, where there is none of the name that they have.
struct BatchSuggestions {
    /// Names that are looked up for one body: each costs a query.
    private static let namesAtMost = 20

    private let engine: Engine
    private let caller: Caller
    private var names: [String: String?] = [:]

    init(_ engine: Engine, for caller: Caller) {
        self.engine = engine
        self.caller = caller
    }

    /// Looks up the names of instances that are not there.
    mutating func lookUp(_ outcomes: [Result<SendResult, Rejection>]) async {
        for case .failure(let rejection) in outcomes where rejection.code == .instanceNotFound {
            guard names.count < Self.namesAtMost else { return }
            let problem = Problem(rejection)
            guard let name = problem.instance, names[name] == nil else { continue }
            names[name] = .some(await engine.suggestingName(problem, for: caller).suggestion)
        }
    }

    /// Adds the name that was probably meant.
    func complete(_ answer: inout BatchAnswer) {
        guard let name = answer.error?.instance, answer.error?.type == .instanceNotFound else { return }
        answer.error?.suggestion = names[name] ?? nil
    }
}
