import WorkflowAPI
import WorkflowEngine

/// The names that lines of one body probably meant where they name a missing instance or machine.
struct BatchSuggestions {
    /// Names that are looked up for one body; each costs a query.
    private static let namesAtMost = 20

    private let engine: Engine
    private let caller: Caller
    private var names: [ProblemType: [String: String?]] = [:]

    init(_ engine: Engine, for caller: Caller) {
        self.engine = engine
        self.caller = caller
    }

    /// Looks up the names that were probably meant for missing ones.
    mutating func lookUp(_ outcomes: [Result<SendResult, Rejection>]) async {
        for case .failure(let rejection) in outcomes
        where rejection.code == .instanceNotFound || rejection.code == .machineNotFound {
            guard names.values.reduce(0, { $0 + $1.count }) < Self.namesAtMost else { return }
            let problem = Problem(rejection)
            guard let name = problem.missingName, names[problem.type]?[name] == nil else { continue }
            let suggestion = await engine.suggestingName(problem, for: caller).suggestion
            names[problem.type, default: [:]][name] = .some(suggestion)
        }
    }

    /// Adds the name that was probably meant.
    func complete(_ answer: inout BatchAnswer) {
        guard let problem = answer.error, let name = problem.missingName else { return }
        answer.error?.suggestion = names[problem.type]?[name] ?? nil
    }
}

extension Problem {
    /// The name of the missing instance or machine; `nil` for all other problems.
    fileprivate var missingName: String? {
        switch type {
        case .instanceNotFound: instance
        case .machineNotFound: machine
        default: nil
        }
    }
}
