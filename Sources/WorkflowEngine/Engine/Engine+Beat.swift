import WorkflowStore

/// Passes the writer like any command, and changes nothing.
private struct BeatCommand: WriterCommand {
    var size: Int { 64 }
    var isLong: Bool { false }
    // A full queue says nothing about the writer.
    static var isResult: Bool { true }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "beat" }

    func want(_ rows: inout WantedRows) {}
    func apply(to batch: inout BatchBuilder) throws(Rejection) {}
}

extension Engine {
    /// Returns when the writer has carried out a command that changes nothing, or when the task is cancelled. Writes no
    /// row. A writer whose disk refuses writes, or that has ended, answers too.
    package func beat() async {
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        queue.begin(BeatCommand()) { _ in answered.finish() }
        for await _ in answers {}
    }
}
