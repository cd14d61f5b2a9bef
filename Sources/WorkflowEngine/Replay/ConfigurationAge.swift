import WorkflowStore

/// The time since which an instance is in its configuration, computed from its history, row by row.
struct ConfigurationAge {
    private(set) var entered = Timestamp(rawValue: 0)
    /// The value of `entered` before the last row.
    private var before = Timestamp(rawValue: 0)

    mutating func take(_ row: JournalRecord) {
        let now = entered
        if row.isUndo {
            entered = before
        } else if row.isClock {
            entered = min(entered, row.at)
        } else if row.isEntry || row.seq.rawValue == 1 {
            entered = row.at
        }
        before = now
    }
}
