import NaiveStatechart

/// An event from outside, or a wait.
enum Stimulus: Equatable, CustomStringConvertible {
    case send(String)
    /// A wait in milliseconds. Timers that are due then fire late, except those that are due at the end.
    case wait(Int64)
    /// The end of one of the running invocations, if any is running.
    case end(Int, isDone: Bool)
    /// An action of a person, if the instance allows it.
    case repair(NaiveInterpreter.Repair)

    /// A migration to a version of the machine, counted from 1, if the instance has another.
    case migrate(to: Int64, ModelPlan)

    /// True if the stimulus makes an ended instance continue.
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
