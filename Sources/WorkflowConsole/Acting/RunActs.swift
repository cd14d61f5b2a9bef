import WorkflowAPI
import WorkflowCalls

extension ConsoleAct {
    /// Stops a run over many instances; it can go on later.
    static let stopRun = ConsoleAct("stop-run", "Stop the run", by: .stopRun) { name, _, visitor in
        .seeOther(Link("runs", try await visitor.client.stopRun(name).run))
    }

    /// Lets a stopped run go on.
    static let resumeRun = ConsoleAct("resume-run", "Let the run go on", by: .resumeRun) { name, _, visitor in
        .seeOther(Link("runs", try await visitor.client.resumeRun(name).run))
    }
}

extension ConsoleAct {
    /// Rehearses the undo of a run, which is itself a run.
    static let undoRun = ConsoleAct("undo-run", "Undo the run", by: .runBulk) { name, form, visitor in
        do {
            var reader = FieldReader(form)
            var action = ActionForm.undo.read(&reader)
            try reader.check(ActionForm.undo.fields)
            action.undone = name
            return try await rehearsed(BulkDraft(request: BulkRequest(action: action, dryRun: true)), by: visitor)
        } catch {
            let problem = ConsolePages.asProblem(error)
            let content = PageContent("Undo of the run \(name)", ["wfctl", "bulk", "undo", name, "--dry-run"]) {
                ConsolePages.note(problem)
                RunPage.undo(name, visitor, typed: form)
            }
            return .page(content, problem, for: visitor)
        }
    }
}
