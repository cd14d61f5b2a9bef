/// A call of a language function.
final class CallNode: Node {
    /// An overload that may fit the arguments.
    struct Candidate: Sendable {
        let parameters: [KindSet]
        let call: @Sendable ([Value], inout Budget) throws(EvaluationError) -> Value

        init(_ overload: Overload) {
            parameters = overload.parameters.map { KindSet($0) }
            call = overload.call
        }
    }

    /// The overloads with as many parameters as the call has arguments.
    let candidates: [Candidate]
    let arguments: [any Node]
    let site: CallSite

    init(candidates: [Candidate], arguments: [any Node], site: CallSite) {
        self.candidates = candidates
        self.arguments = arguments
        self.site = site
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let values = try frame.values(of: arguments, host)
        for candidate in candidates where KindSet.fit(values, candidate.parameters) {
            do throws(EvaluationError) {
                return try candidate.call(values, &frame.budget)
            } catch {
                throw error.at(site.range)
            }
        }
        try frame.budget.takeMessage()
        throw EvaluationError(.noOverload, site.noOverload(values.map(\.typeName)), range: site.range)
    }
}
