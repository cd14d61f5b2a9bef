import WorkflowStore

/// The facts about a store that never change while it is open.
struct StoreRow {
    let identity: StoreIdentity
    let partitions: Int64
    let isHeld: Bool
    /// The last position and the last number of an instance that a restore has placed in several partitions. Each of
    /// these numbers is in one partition only; the next one of every partition is above them. 0 for none.
    let placed: (position: Int64, instance: Int64)
    var restorations: [Restoration] = []

    static func read(_ snapshot: Snapshot) throws(StoreError) -> StoreRow {
        try snapshot.read([Request(store), Request(restorations)]) { answers in
            guard var row = try answers.first?.first({ row in try StoreRow(&row) }) else {
                throw PostgresFailure(.damaged, "the row in 'store' is missing; restore a backup")
            }
            row.restorations =
                try answers.last?.all { row in
                    Restoration(
                        generation: try row.ordinal(), parent: try row.ordinal(), next: try row.position(),
                        restored: try row.time())
                } ?? []
            return row
        }
    }

    private init(_ row: inout AnswerRow) throws(PostgresFailure) {
        identity = StoreIdentity(uuid: try row.uniqueID(), generation: try row.ordinal())
        partitions = try row.integer(in: StoreSchema.partitions)
        isHeld = try row.flag()
        placed = (try row.count(), try row.count())
        guard try row.flag() else { return }
        throw PostgresFailure(
            .refused(state: "55000"), "a restore into it has not ended; run 'wfd restore' again, which begins anew")
    }

    private static let store = Statement(
        name: "store",
        sql: """
            SELECT uuid, generation, partitions, held, placed_position, placed_instance, restoring FROM store
            WHERE id = 1
            """)

    private static let restorations = Statement(
        name: "restorations",
        sql: """
            SELECT generation, parent, next_position, restored_ms FROM restoration ORDER BY generation, partition
            """)
}

/// The limits of reads, each with its unit and its reason.
struct ReadLimits: Sendable {
    /// The rows of one answer of the server, which is in memory as a whole.
    var sliceRows = 500
    /// The rows of one answer, each of which may have the whole context of an instance.
    var costlyRows = 64
    /// The rows read for one page of a list; a page with a filter may be shorter than requested.
    var pageRows = 20_000
    /// The time after which a page with a condition ends, whatever it has found; its caller continues with the next.
    var conditionDuration: Duration = .milliseconds(500)
    /// The approximate bytes of state in a page of a list, or of data in a page of a history.
    var pageBytes: Int64 = 1024 * 1024
    /// The rows read for suggestions of names.
    var suggestionRows = 2_000
    /// The rows in one answer about a history: a page of 500, and those before it from the nearest snapshot on.
    var historyRows: Int64 = 1_000
}
