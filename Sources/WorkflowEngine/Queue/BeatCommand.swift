import WorkflowStore

/// Passes a lane like any command, and writes nothing. When it is answered, all that the lane began before is on disk,
/// and what the lane begins later sees all settings that were committed when the command came.
struct BeatCommand: WriterCommand {
    /// True if settings may let effects start that were held.
    var looksForHeld = false

    var size: Int { 64 }
    var isLong: Bool { false }
    // A full queue says nothing about the writer.
    static var isResult: Bool { true }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "beat" }

    func want(_ rows: inout WantedRows) {}
    func apply(to batch: inout BatchBuilder) throws(Rejection) {
        if looksForHeld { batch.parts.leases.lookForHeld() }
    }
}
