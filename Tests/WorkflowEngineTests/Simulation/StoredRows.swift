import IdentityTesting
import StoreTesting
import WorkflowEngine
import WorkflowStore

/// The content of a store about some instances, except for positions, UUIDs and digests, which differ from file to
/// file.
struct StoredRows: Equatable {
    private var lines: [String] = []

    /// Reads the rows.
    init(of names: [String], in store: any WorkflowStore) async throws {
        for name in names {
            guard let record = try await store.instance(named: name) else { continue }
            lines.append(
                "\(name): \(record.status) seq \(record.seq.rawValue) \(record.state) "
                    + "created \(record.created.rawValue) updated \(record.updated.rawValue)")
            let rows = try await store.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...record.seq.rawValue,
                    isReversed: false))
            for row in rows {
                lines.append(
                    "\(name) \(row.seq.rawValue): \(row.kind) '\(row.event)' \(row.data ?? "") "
                        + "at \(row.at.rawValue) real \(row.real?.rawValue ?? 0) from \(row.from) to \(row.to) "
                        + "key \(row.key ?? [])")
            }
        }
    }

    /// Returns the first line that differs.
    func difference(to other: StoredRows) -> String? {
        for (line, there) in zip(lines, other.lines) where line != there { return "'\(line)' here, '\(there)' there" }
        return lines.count == other.lines.count ? nil : "\(lines.count) lines here, \(other.lines.count) there"
    }

    /// Returns true if a line contains a text.
    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    /// The number of lines: rows of history, and instances.
    var count: Int { lines.count }
}
