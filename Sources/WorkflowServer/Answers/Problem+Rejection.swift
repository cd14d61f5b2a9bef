import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowSpelling
import WorkflowStore

extension Problem {
    /// Creates the problem for a command that was not carried out.
    init(_ rejection: Rejection) {
        self.init(ProblemType(rejection.code), detail: rejection.message)
        switch rejection.subject {
        case .machine(let name): machine = name.rawValue
        case .instance(let name): instance = name.rawValue
        case .effect(let name, let instance, let known):
            self.instance = instance.rawValue
            suggestion = Spelling.closest(to: name, among: known)
        case nil: break
        }
        if let facts = rejection.facts {
            instance = facts.name.rawValue
            machine = facts.machine.rawValue
            state = facts.configuration
            seq = facts.seq.rawValue
        }
        misfits = rejection.misfits?.map { "\($0.place): \($0.reason)" }
        diagnostics = rejection.diagnostics?.map(DefinitionDiagnostic.init)
        if let refused = rejection.refused { tell(refused, rejection.facts) }
        if let candidates = rejection.candidates { self.candidates = candidates.map(Candidate.init) }
        guard let offset = rejection.offset else { return }
        line = Int64(offset + 1)
        if offset > 0 { detail += "; so the lines before it would have left it, but none was applied" }
    }

    /// Adds the machine's reason for the refusal of an event, and the events that the instance accepts.
    private mutating func tell(_ refused: Rejection.RefusedEvent, _ facts: InstanceFacts?) {
        machine = refused.machine.name
        accepted = facts?.accepted
        switch refused.refusal {
        case .unknownEvent: suggestion = Spelling.closest(to: refused.event, among: refused.machine.events)
        case .guardRejected(let findings): candidates = findings.map { Candidate($0, of: refused.machine) }
        case .notAccepted, .finished, .failed, .suspended, .expressionFailed, .livelock, .invalidData: break
        }
    }
}

extension ProblemType {
    /// Creates the problem type that has the same name as a rejection code.
    init(_ code: Rejection.Code) {
        guard let type = ProblemType(rawValue: code.rawValue) else {
            preconditionFailure("'\(code.rawValue)' is no problem")  // Proof: a test compares the two lists
        }
        self = type
    }
}

extension DefinitionDiagnostic {
    /// Creates the wire form of a diagnostic of the definition reader.
    init(_ diagnostic: Diagnostic) {
        self.init(
            severity: diagnostic.severity == .error ? .error : .warning, line: diagnostic.line,
            column: diagnostic.column, message: diagnostic.message)
    }
}
