import NaiveStatechart

/// What happens to an instance from outside.
enum Stimulus: Equatable, CustomStringConvertible {
    case send(String)
    /// Time passes, in milliseconds; what then is due fires late, but for what was due at the end.
    case wait(Int64)
    /// One of the invocations that run ends, if any does.
    case end(Int, isDone: Bool)
    /// A person does something, if the instance is such that it can be done.
    case repair(NaiveInterpreter.Repair)

    /// The instance goes over to a version of the machine, counted from 1, if it has another.
    case migrate(to: Int64, ModelPlan)

    /// Whether it makes an instance go on that has ended.
    var isReset: Bool {
        if case .repair(.reset) = self { true } else { false }
    }

    var description: String {
        switch self {
        case .send(let event): event
        case .wait(let milliseconds): "wait \(milliseconds) ms"
        case .end(let choice, let isDone): "\(isDone ? "done" : "fail") \(choice)"
        case .repair(let repair): "\(repair)"
        case .migrate(let version, let plan): "migrate to \(version) by \(plan)"
        }
    }
}
