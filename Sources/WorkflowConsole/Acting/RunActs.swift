import WorkflowAPI
import WorkflowClient

extension ConsoleAct {
    /// Stops a run over many instances; it can go on later.
    static let stopRun = ConsoleAct("stop-run", by: .stopRun) { name, _, visitor in
        .seeOther(Link("runs", try await visitor.client.stopRun(name).run))
    }

    /// Lets a stopped run go on.
    static let resumeRun = ConsoleAct("resume-run", by: .resumeRun) { name, _, visitor in
        .seeOther(Link("runs", try await visitor.client.resumeRun(name).run))
    }
}
