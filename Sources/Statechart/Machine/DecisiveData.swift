import WorkflowCEL

/// The data that can change a machine's path: the data that guards and delays read, and all data those are computed
/// from. Data that can make an action fail are included if the failure matters.
///
/// The set may be too large, never too small: a key outside the set affects only outputs and logs. Building the set
/// costs O(n) in the size of the machine.
package struct DecisiveData: Sendable {
    private var decisive: Set<Datum> = []

    /// Traces every expression of a machine.
    package init(of machine: Machine) {
        var flow = DataFlow(machine)
        flow.followMachine()
        var open = Array(flow.sinks)
        while let datum = open.popLast() {
            guard decisive.insert(datum).inserted else { continue }
            open += flow.sources[datum] ?? []
            // A reader of the whole context reads every key.
            if datum == .allKeys { open += flow.sources.keys.filter(\.isKey) }
        }
    }

    /// True if no key of the context is decisive.
    package var isEmpty: Bool { !decisive.contains { $0.isKey || $0 == .allKeys } }

    /// True if the data of an event are decisive.
    package var hasEventData: Bool { decisive.contains(.eventData) }

    /// Returns true if a key of the context is decisive.
    package func has(key: String) -> Bool { decisive.contains(.key(key)) || decisive.contains(.allKeys) }
}

/// A source of data that an expression can read.
private enum Datum: Hashable, Sendable {
    case key(String)
    case allKeys
    case eventData
    /// A point in a block of actions; a failing action ends the block (SCXML 4.1), so reaching the point is a datum.
    case point(Int)

    var isKey: Bool { if case .key = self { true } else { false } }
}

/// Collects the data flow of a machine: the data that each datum is computed from.
private struct DataFlow {
    private let machine: Machine
    /// True if a failed action can change the path: the machine is strict, or some transition takes `error.execution`.
    private let areErrorsTaken: Bool
    private let readsOfGuards: [Set<Datum>]
    private(set) var sources: [Datum: Set<Datum>] = [:]
    private(set) var sinks: Set<Datum> = []
    private var points = 0

    init(_ machine: Machine) {
        self.machine = machine
        let error = "error.execution"
        areErrorsTaken =
            machine.isStrict
            || machine.states.contains { state in
                let table = state.candidates
                return table.exact[error] != nil || !table.any.isEmpty
                    || table.prefixes.contains { $0.matches(error) }
            }
        var reads: [Set<Datum>] = machine.guards.map { Self.reads(of: $0, []) }
        // Guards refer to other guards; each round resolves one level of names.
        for _ in 0..<DefinitionLimits.guardNesting { reads = machine.guards.map { Self.reads(of: $0, reads) } }
        readsOfGuards = reads
    }

    mutating func followMachine() {
        for state in machine.states {
            follow(state.entry)
            follow(state.exit)
            follow(state.initial?.actions ?? [])
            for timeout in state.timeouts { decide(timeout.delay) }
            for invocation in state.invocations {
                if let timeout = invocation.timeout { decide(timeout) }
                for expression in invocation.action.expressions { _ = passed(nil, expression) }
            }
            if let output = state.output, state.parent != .root { send(output, nil) }
        }
        for transition in machine.transitions {
            if let condition = transition.condition { sinks.formUnion(reads(of: condition)) }
            follow(transition.actions)
        }
    }

    private mutating func follow(_ actions: [Action]) {
        var point: Datum?
        follow(actions, &point)
    }

    /// - Parameter point: The last point that the block is known to have reached.
    private mutating func follow(_ actions: [Action], _ point: inout Datum?) {
        for action in actions {
            switch action {
            case .assign(let assignments, _): assign(assignments, &point)
            case .raise(_, let data, _):
                point = data.map { send($0, point) } ?? point
                decide(point)
            case .send(let send):
                if let delay = send.delay { decide(delay) }
                point = send.data.map { self.send($0, point) } ?? point
                decide(point)
            case .emit(_, let data, _):
                for expression in data?.expressions ?? [] { point = passed(point, expression) }
            case .cancel: decide(point)
            case .log(let expression): point = passed(point, expression)
            case .choose(let branches, _):
                for branch in branches {
                    if let condition = branch.condition { sinks.formUnion(reads(of: condition)) }
                    follow(branch.actions, &point)
                }
            case .foreach(let loop):
                sinks.formUnion(reads(of: loop.array))
                follow(loop.actions, &point)
            case .call(let call):
                for expression in call.action.expressions { point = passed(point, expression) }
            }
        }
    }

    private mutating func assign(_ assignments: [Assignment], _ point: inout Datum?) {
        var written: [(key: String, reads: Set<Datum>)] = []
        for assignment in assignments {
            guard case .key(let key)? = assignment.path.first else { continue }
            var reads: Set<Datum> = []
            for case .computed(let expression) in assignment.path {
                reads.formUnion(self.reads(of: expression))
                point = passed(point, expression)
            }
            // A deeper path exists only if the key holds a map or list.
            if assignment.path.count > 1 { point = passed(point, [.key(key)]) }
            for expression in assignment.value.expressions {
                reads.formUnion(self.reads(of: expression))
                point = passed(point, expression)
            }
            written.append((key, reads))
        }
        for (key, reads) in written { sources[.key(key), default: []].formUnion(reads.union(point.map { [$0] } ?? [])) }
    }

    /// Records that an event carries data. Returns the point after the data's expressions.
    @discardableResult
    private mutating func send(_ data: Template, _ point: Datum?) -> Datum? {
        var point = point
        for expression in data.expressions {
            sources[.eventData, default: []].formUnion(reads(of: expression))
            point = passed(point, expression)
        }
        return point
    }

    private mutating func decide(_ delay: Delay) {
        if case .expression(let expression) = delay { sinks.formUnion(reads(of: expression)) }
    }

    private mutating func decide(_ point: Datum?) {
        if let point { sinks.insert(point) }
    }

    /// Returns the point after an expression: the same point if the expression cannot fail.
    private mutating func passed(_ point: Datum?, _ expression: Expression) -> Datum? {
        expression.isPlain ? point : passed(point, reads(of: expression))
    }

    private mutating func passed(_ point: Datum?, _ reads: Set<Datum>) -> Datum? {
        guard !reads.isEmpty else { return point }
        if areErrorsTaken { sinks.formUnion(reads) }
        points += 1
        sources[.point(points)] = reads.union(point.map { [$0] } ?? [])
        return .point(points)
    }

    private func reads(of expression: Expression) -> Set<Datum> { Self.reads(of: expression, readsOfGuards) }

    private static func reads(of expression: Expression, _ guards: [Set<Datum>]) -> Set<Datum> {
        var reads: Set<Datum> = []
        for reference in expression.program.references {
            switch reference.variable {
            case Vocabulary.context: reads.insert(reference.fields.first.map { .key($0) } ?? .allKeys)
            case Vocabulary.event:
                if reference.fields.first.map({ $0 == "data" }) ?? true { reads.insert(.eventData) }
            case Vocabulary.firstGuard...:
                let guardIndex = reference.variable - Vocabulary.firstGuard
                if guards.indices.contains(guardIndex) { reads.formUnion(guards[guardIndex]) }
            default: break
            }
        }
        return reads
    }
}

extension Expression {
    /// True if the expression only reads one key of the context, and so cannot fail.
    fileprivate var isPlain: Bool {
        guard let reference = program.references.first, program.references.count == 1 else { return false }
        return reference.variable == Vocabulary.context && reference.fields.count == 1 && reference.text == source
    }
}
