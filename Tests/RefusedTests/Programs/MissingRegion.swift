// A program that forgets where a machine with regions can be.
import StateMachines

enum Review: MachineDefinition {
    enum State: StateValue, Decodable, Hashable {
        case review(legal: Legal, finance: Finance), done
        enum Legal: String, Decodable { case pending, accepted }
        enum Finance: String, Decodable { case pending, accepted }
        enum CodingKeys: CodingKey { case review, done }
        enum Name: String, MachineState {
            case review, legal = "review.legal", finance = "review.finance", done
            case legalPending = "review.legal.pending", legalAccepted = "review.legal.accepted"
            case financePending = "review.finance.pending", financeAccepted = "review.finance.accepted"
        }
    }
    enum Event: String, MachineEvent { case accept }

    static let definition = Definition<Self>("review", initial: .review) {
        In(.review, .parallel) { On(.accept, to: .done) }
    }
}

func title(of machine: StateMachine<Review>) -> String {
    // error: switch must be exhaustive
    // note: add missing case: '.review(legal: .pending, finance: .accepted)'
    switch machine.state {
    case .review(.pending, .pending): "asked"
    case .review(.accepted, .pending): "finance is missing"
    case .review(.accepted, .accepted): "to be signed"
    case .done: "signed"
    }
}
