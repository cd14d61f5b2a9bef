/// A transition of a random machine.
final class ModelTransition {
    /// What enables it.
    enum Trigger: Equatable {
        /// A descriptor: a name, `name.*` or `*`.
        case event(String)
        case always
        /// `onDone`.
        case done
        /// It is where a state begins, or the default of a history state.
        case initial
    }

    unowned let source: ModelState
    let trigger: Trigger
    var targets: [ModelTarget]
    var reenters = false
    var condition: ModelGuard?
    var actions: [ModelAction] = []

    init(of source: ModelState, on trigger: Trigger, to targets: [ModelTarget] = []) {
        self.source = source
        self.trigger = trigger
        self.targets = targets
    }

    /// The descriptor that enables it; nil for `always` and where a state begins.
    var descriptor: String? {
        switch trigger {
        case .event(let descriptor): descriptor
        case .done: "done.state.\(source.name)"
        case .always, .initial: nil
        }
    }
}

/// A target, and which of the words that name it is written.
struct ModelTarget {
    unowned let state: ModelState
    /// Any number: one of the possible spellings.
    let spelling: Int
}

/// Executable content of a random machine.
enum ModelAction: Equatable {
    case raise(String)
    /// Sets `last` in the context to a number of this action's own.
    case set(Int)
    /// Cannot be done: it divides by zero. Needs expressions.
    case fail
    /// Adds one to `n` in the context. Needs expressions.
    case count
    /// Notes a number of this action's own in `order` and `trace` of the context. Needs expressions.
    case record(Int)
}

/// A condition of a random machine. Needs expressions.
indirect enum ModelGuard {
    case always
    case never
    case isIn(ModelTarget)
    case isNotIn(ModelTarget)
    /// Whether `n` is less than a number.
    case countIsBelow(Int)
    /// Cannot be evaluated. Never a part of another condition, which might not need it.
    case fails
    case both(ModelGuard, ModelGuard)
    case either(ModelGuard, ModelGuard)
}

/// The data of a random machine.
struct ModelContext: Equatable {
    var n = 0
    var last = 0
    /// What was noted, in order, as one number; two orders hardly ever give the same.
    private(set) var order = 0
    /// What was noted, in order, for people; cut, because a machine that never settles has only so much to evaluate.
    private(set) var trace: [Int] = []

    static let longestTrace = 30

    /// Notes a number.
    mutating func note(_ number: Int) {
        order = (order * 31 + number) % 1_000_003
        if trace.count < Self.longestTrace { trace.append(number) }
    }

    /// As JSON, keys in the order of their bytes.
    var text: String {
        let numbers = trace.map(String.init).joined(separator: ",")
        return "{\"last\":\(last),\"n\":\(n),\"order\":\(order),\"trace\":[\(numbers)]}"
    }
}

extension ModelTransition: Equatable {
    static func == (lhs: ModelTransition, rhs: ModelTransition) -> Bool { lhs === rhs }
}
