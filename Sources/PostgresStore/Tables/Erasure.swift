import Statechart
import WorkflowStore

extension ErasureRecord: TableRow {
    static let columns = Columns(
        of: "erasure",
        blank: ErasureRecord(
            id: 0, instanceID: noInstance, uuid: InstanceRecord.columns.blank.uuid, seqs: SeqSet(), paths: nil,
            name: nil, at: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        let last = PartitionID(rawValue: PartitionID.range.upperBound).rawValues.upperBound
        try column("id", row.id) { $0.id = try $1.integer(in: -last...last) }
        try column("instance_id", row.instanceID) { $0.instanceID = InstanceID(rawValue: try $1.integer(in: 0...last)) }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("seqs", row.seqs.text) { $0.seqs = try $1.seqs() }
        try column("paths", ErasedPaths(of: row).text) { row, columns in
            let paths = try columns.erasedPaths()
            (row.paths, row.dataPaths) = (paths.context, paths.data)
        }
        try column("name", row.name) { $0.name = try $1.optionalText().map(InstanceName.init(rawValue:)) }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("seq", row.walk?.seq) { $0.walk = try $1.optionalSeq().map(ErasureWalk.init(seq:)) }
        try column("next", row.walk?.next) { row, columns in
            let next = try columns.optionalPosition()
            row.walk?.next = next
        }
        try column("bottom", row.walk?.bottom) { row, columns in
            let bottom = try columns.optionalSeq()
            row.walk?.bottom = bottom ?? ErasureWalk.unknown
        }
        try column("top", row.walk?.top) { row, columns in
            let refused = columns.implausible
            let top = try columns.optionalSeq()
            // An erasure walk without an end would never finish.
            if let walk = row.walk, top == nil || walk.bottom == ErasureWalk.unknown { throw refused }
            row.walk?.top = top ?? ErasureWalk.unknown
        }
    }

    static let open = columns.select(
        "open-erasure", "WHERE instance_id = $1::bigint AND seq IS NOT NULL ORDER BY id LIMIT 1")

    static let after = columns.select("erasures-after", "WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint")
}

extension ErasureWalk {
    /// The end of a walk that is not read yet; no row has this seq.
    fileprivate static let unknown = Seq(rawValue: 0)

    fileprivate init(seq: Seq) { self.init(seq: seq, next: nil, bottom: Self.unknown, top: Self.unknown) }
}

extension AnswerRow {
    fileprivate mutating func seqs() throws(PostgresFailure) -> SeqSet {
        let refused = implausible
        let text = try text()
        guard let seqs = text.isEmpty ? SeqSet() : SeqSet(text) else { throw refused }
        return seqs
    }

    fileprivate mutating func erasedPaths() throws(PostgresFailure) -> ErasedPaths {
        let refused = implausible
        guard let paths = ErasedPaths(text: try optionalText()) else { throw refused }
        return paths
    }
}
