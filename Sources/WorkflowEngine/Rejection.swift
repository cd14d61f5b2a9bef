package import Statechart
package import WorkflowStore

/// Why a command was not carried out. Nothing changed, but for `outcomeUnknown`, where that is not known.
///
/// Indirect, so that a result that may be one is as small as a reference: results are moved often, and rarely are one.
package indirect enum Rejection: Error, Sendable {
    case machineNotFound(name: String, version: Int64?, latest: Int64?)
    case instanceNotFound(String)
    case instanceExists(String)
    case invalidDefinition(DefinitionError)
    case invalidName(String)
    case invalidData(String)
    case reservedEvent(String)
    /// The machine refused the event; the facts say in which state.
    case refused(Refusal, event: String, machine: Machine, facts: InstanceFacts?)
    case finished(InstanceFacts)
    case failed(InstanceFacts)
    /// A retry of an instance that has not failed.
    case notFailed(InstanceFacts)
    /// A dry run that is explained and comes to a refusal.
    case explained(Rejection, [CandidateView])
    /// Of events that are applied all or not at all: the first that is not accepted, counted from 0.
    case together(Int, Rejection)
    /// Events that are too much for one transaction.
    case tooMuchTogether(String)
    /// What was expected and did not hold.
    case preconditionFailed(String, InstanceFacts)
    /// The key was used for another request.
    case keyReused(String)
    /// The key says that it is older than keys are remembered.
    case keyExpired(String, at: Timestamp)
    /// The key says a time that has not come yet.
    case keyAhead(String, at: Timestamp, now: Timestamp)
    /// The clock is the machine's, which nobody moves.
    case realClock
    /// A clock cannot go there.
    case invalidTime(String)
    /// A backup is made, or waits to be fetched.
    case backupUnderWay
    /// A backup could not be made; the message says why.
    case backupFailed(String)
    case overloaded
    case draining
    case storageUnavailable(String)
    case outcomeUnknown
    /// A fault of ours; the message tells what to report.
    case fault(String)
}

/// What a refusal tells about the instance that it left alone.
package struct InstanceFacts: Sendable, Equatable {
    package let name: String
    package let machine: String
    package let status: InstanceStatus
    /// Paths of the active leaves.
    package let configuration: [String]
    package let seq: Seq
    /// The descriptors of events that it takes now.
    package let accepted: [String]
}

extension Rejection {
    /// What a caller is told when the store could not do something.
    init(_ error: StoreError) {
        switch error.code {
        case .outcomeUnknown: self = .outcomeUnknown
        case .closed: self = .draining
        case .constraint: self = .fault(error.message)
        default: self = .storageUnavailable(error.message)
        }
    }
}
