/// The search for an order of requests that explains the answers to the clients of one instance. In this order each
/// request takes effect alone, between its call and its answer (Herlihy and Wing, 1990).
///
/// The search is the just-in-time linearization of Lowe ("Testing for linearizability", 2017), breadth-first. It walks
/// through calls and answers in time. It keeps every configuration that explains the answers so far: a state of the
/// model, and the pending requests that have taken effect. A request takes effect at the latest when a client gets an
/// answer. Equal configurations are kept once, which is the memory of Wing and Gong's search as improved by Lowe. Two
/// things make the search short and lose nothing. A request that only reads takes effect as soon as its answer fits. As
/// every application increments the seq, a seq in an answer belongs to that request or to that key.
///
/// The problem is NP-complete (Gibbons and Korach, 1997). The bound limits the number of configurations for one answer;
/// beyond it the verdict is `undecided`.
struct Linearization<Model: SequentialModel> {
    enum Verdict: Equatable, CustomStringConvertible {
        case linearizable
        /// No order explains this answer after all answers before it.
        case violation(String)
        case undecided(String)

        var description: String {
            switch self {
            case .linearizable: "linearizable"
            case .violation(let text): "not linearizable: \(text)"
            case .undecided(let text): "undecided: \(text)"
            }
        }
    }

    /// A possible course of events so far.
    private struct Configuration: Hashable {
        var model: Model
        /// The pending requests that have taken effect.
        var done: Set<Int> = []
    }

    /// The request or key whose application has a seq.
    private enum Owner: Hashable {
        case request(Int)
        case key(String)
    }

    private let operations: [Operation<Model>]
    private let bound: Int
    private var owners: [Int64: Owner] = [:]
    private var pending: [Int] = []
    private var configurations: Set<Configuration> = [Configuration(model: Model())]
    /// The largest number of configurations for one answer.
    private(set) var most = 1

    /// - Parameter bound: The most configurations for one answer.
    init(_ operations: [Operation<Model>], bound: Int = 100_000) {
        self.operations = operations
        self.bound = bound
        for (number, operation) in operations.enumerated() {
            guard let seq = operation.answer.flatMap(Model.seq(of:)) else { continue }
            // If two claim one seq, only the first can have it. The search then finds the other one wrong.
            if owners[seq] == nil { owners[seq] = owner(number) }
        }
    }

    private func owner(_ number: Int) -> Owner {
        Model.key(of: operations[number].action).map(Owner.key) ?? .request(number)
    }

    /// Walks through the history.
    mutating func verdict() -> Verdict {
        let calls = operations.indices.map { (time: operations[$0].call, number: $0, isEnd: false) }
        let ends = operations.indices.compactMap { number in
            operations[number].end.map { (time: $0, number: number, isEnd: true) }
        }
        for moment in (calls + ends).sorted(by: { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }) {
            guard moment.isEnd else {
                pending.append(moment.number)
                continue
            }
            let before = configurations
            guard let after = configurations(after: moment.number) else {
                return .undecided("more than \(bound) configurations at \(operations[moment.number])")
            }
            configurations = after
            pending.removeAll { $0 == moment.number }
            if configurations.isEmpty {
                let places = Set(before.map { "\($0.model.place)" }).sorted().joined(separator: " or ")
                return .violation("\(operations[moment.number]); before it: \(places)")
            }
        }
        return .linearizable
    }

    /// Returns the configurations in which a pending request is over: it took effect, or perhaps not if it has no
    /// answer. `nil` beyond the bound.
    private mutating func configurations(after target: Int) -> Set<Configuration>? {
        var found: Set<Configuration> = []
        var seen = configurations
        var open = Array(configurations)
        while let configuration = open.popLast() {
            if configuration.done.contains(target) {
                var over = configuration
                over.done.remove(target)
                found.insert(over)
                continue
            }
            if operations[target].answer == nil { found.insert(configuration) }
            for next in successors(of: configuration) where seen.insert(next).inserted { open.append(next) }
            most = max(most, seen.count)
            if seen.count > bound { return nil }
        }
        return found
    }

    /// Returns the configurations after one more pending request takes effect.
    private func successors(of configuration: Configuration) -> [Configuration] {
        var successors: [Configuration] = []
        for number in pending where !configuration.done.contains(number) {
            var next = configuration
            let answer = next.model.answer(to: operations[number].action)
            let isChange = next.model.place != configuration.model.place
            if let told = operations[number].answer, told != answer { continue }
            // A request that changed nothing and was answered to nobody is the same as none.
            if operations[number].answer == nil, !isChange { continue }
            next.done.insert(number)
            if !isChange { return [next] }
            let seq = next.model.seq
            let owner = seq == configuration.model.seq ? nil : owners[seq]
            if owner == nil || owner == self.owner(number) { successors.append(next) }
        }
        return successors
    }
}
