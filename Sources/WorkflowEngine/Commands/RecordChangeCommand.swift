import WorkflowStore

/// Records a change that was made outside the store. The answer is false if a row has its number or a higher one.
struct RecordChangeCommand: PlacedCommand {
    let action: ChangeAction
    var object: String?
    var number: Int64?
    var detail: String?
    let caller: Caller

    var size: Int { 512 + (object?.utf8.count ?? 0) + (detail?.utf8.count ?? 0) }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .first }
    var summary: String { "record \(action.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Bool {
        if let number, let last = try batch.lastChangeNumber, last >= number { return false }
        batch.recordChange(action, of: object, number: number, detail: detail, by: caller)
        return true
    }
}
