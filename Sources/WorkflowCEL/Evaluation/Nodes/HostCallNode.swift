/// A call of a host function.
final class HostCallNode: Node {
    /// An overload that may fit the arguments.
    struct Candidate: Sendable {
        let function: Int
        let parameters: [KindSet]

        init(_ number: Int, _ function: Environment.Function) {
            self.function = number
            parameters = function.parameters.map { KindSet($0) }
        }
    }

    let candidates: [Candidate]
    let arguments: [any Node]
    let site: HostCallSite

    init(candidates: [Candidate], arguments: [any Node], site: HostCallSite) {
        self.candidates = candidates
        self.arguments = arguments
        self.site = site
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let values = try frame.values(of: arguments, host)
        for candidate in candidates where KindSet.fit(values, candidate.parameters) {
            do throws(EvaluationError) {
                return try host.call(candidate.function, values, &frame.budget)
            } catch {
                throw error.moved(to: site.range)
            }
        }
        try frame.budget.takeMessage()
        throw EvaluationError(.noOverload, site.noOverload(values.map(\.typeName.word)), range: site.range)
    }
}
