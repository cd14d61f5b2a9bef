import WorkflowStore

/// Holds all effects, or releases them.
package struct HoldCommand: Sendable {
    package var isHeld: Bool
    package var caller: Caller

    package init(isHeld: Bool, by caller: Caller) {
        self.isHeld = isHeld
        self.caller = caller
    }
}

extension HoldCommand: PlacedCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .first }
    var summary: String { isHeld ? "hold" : "release" }

    func want(_ rows: inout WantedRows) {}

    /// Returns true if effects were held before. A release also retries effects that were held for lack of a secret or
    /// a program.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Bool {
        let before = batch.areEffectsHeld
        if !isHeld { batch.parts.leases.lookForHeld() }
        guard before != isHeld else { return before }
        batch.changes.hold = isHeld
        batch.note(.held(isHeld, by: caller.actor))
        batch.recordChange(isHeld ? .hold : .release, by: caller)
        return before
    }
}
