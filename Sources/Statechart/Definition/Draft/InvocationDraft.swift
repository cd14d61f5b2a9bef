/// An invocation as its definition tells it.
struct InvocationDraft {
    let position: SourcePosition
    /// Nil for the id of its state.
    var id: SourceWord?
    /// Nil where it was not understood.
    var action: EffectDraft?
    var timeout: DelayDraft?
    var retry = RetryPolicy()
}

extension MachineDraft {
    /// What the events of a state's invocation are named after.
    func id(of invocation: InvocationDraft, in state: StateDraft) -> String {
        invocation.id?.text ?? id(of: state)
    }

    /// Reports invocations that share an id: their results could not be told apart.
    func checkInvocations(_ diagnostics: inout DiagnosticList) {
        var known: [String: InvocationDraft] = [:]
        for state in states {
            let unnamed = state.invocations.filter { $0.id == nil }
            if unnamed.count > 1 {
                diagnostics.error(
                    "\(state.nameInMessages) has two invocations without 'id'", at: unnamed[1].position)
            }
            for (place, invocation) in state.invocations.enumerated() {
                let id = id(of: invocation, in: state)
                if let other = known[id] {
                    // Two without an id were told of already.
                    if invocation.id == nil, state.invocations[..<place].contains(where: { $0.id == nil }) { continue }
                    diagnostics.error(
                        "id \(id.quoted) is used by the invocation on line \(other.position.line)",
                        at: invocation.id?.position ?? invocation.position)
                } else {
                    known[id] = invocation
                }
            }
        }
    }
}
