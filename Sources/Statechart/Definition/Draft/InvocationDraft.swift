/// An invocation as written in its definition.
struct InvocationDraft {
    let position: SourcePosition
    /// The written id; `nil` if the invocation uses the id of its state.
    var id: SourceWord?
    /// The action; `nil` if it could not be read.
    var action: EffectDraft?
    var timeout: DelayDraft?
    var retry = RetryPolicy()
}

extension MachineDraft {
    /// Returns the id in the names of an invocation's events.
    func id(of invocation: InvocationDraft, in state: StateDraft) -> String {
        invocation.id?.text ?? id(of: state)
    }

    /// Reports invocations that share an id: their results would be indistinguishable.
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
                    // A second invocation without an id was already reported.
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
