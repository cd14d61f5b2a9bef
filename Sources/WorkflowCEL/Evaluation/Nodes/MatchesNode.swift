/// The call `a.matches('…')` with a literal pattern.
final class MatchesNode: Node {
    let subject: any Node
    let pattern: Pattern
    let site: CallSite

    init(subject: any Node, pattern: Pattern, site: CallSite) {
        self.subject = subject
        self.pattern = pattern
        self.site = site
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let value = try subject.value(&frame, host)
        guard case .string(let text) = value else {
            try frame.budget.takeMessage()
            throw EvaluationError(.noOverload, site.noOverload([value.typeName, .string]), range: site.range)
        }
        do throws(EvaluationError) {
            return .bool(try pattern.matches(text, &frame.budget))
        } catch {
            throw error.at(site.range)
        }
    }
}
