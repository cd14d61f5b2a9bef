import WorkflowStore

extension Lane {
    /// Carries out this lane's part of a command that concerns several lanes. Nothing is under way afterwards.
    func attend(_ meeting: LaneMeeting) throws(StoreError) {
        do throws(StoreError) {
            try settle()
        } catch {
            meeting.decline(.stopped(by: error))
            throw error
        }
        guard let entry = meeting.entry(of: partition) else { return }
        var builder = applier.begin(after: [])
        applier.applyAtOnce(entry, to: &builder, compiling: meeting.compilesAtOnce)
        if let rejection = entry.rejection { return meeting.come(with: rejection) }
        let sealed = seal(&builder, entries: [entry])
        if !sealed.isWritten {
            do throws(StoreError) {
                try committer.confirm()
            } catch {
                meeting.decline(.notCarriedOut(error))
                return try failed(error)
            }
        }
        health.rests()
        let ending = meeting.come(with: sealed) { committer.commitTogether($0) }
        health.turns()
        switch ending {
        case .committed: adopt(sealed)
        case .last(let error): throw error
        case .failed(let error): try failed(error)
        case .untried: discard()
        }
    }

    /// Goes back to the committed state. Throws if nothing more may be written.
    private func failed(_ error: StoreError) throws(StoreError) {
        discard()
        if !error.isUndone { throw error }
    }
}
