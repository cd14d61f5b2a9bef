/// What opening a store found and did, for the log.
package struct StoreRecovery: Sendable, Equatable, CustomStringConvertible {
    /// The file did not exist before.
    package var wasCreated = false
    /// The daemon before stopped in order; true for a new file.
    package var wasClean = true
    /// The size of the write-ahead log that the last daemon left behind; nil when it left none. An end that a crash
    /// tore off, which nobody was told to be there, counts too.
    package var logBytesFound: Int64?
    /// The schema version that the file had; the present one for a new file.
    package var openedVersion: Int64 = 0
    /// The schema version that the file has now.
    package var schemaVersion: Int64 = 0
    /// Journal rows whose digests were checked.
    package var rowsChecked = 0

    /// Such as `closed in order, schema 1, 12 rows checked`.
    package var description: String {
        if wasCreated { return "created, schema \(schemaVersion)" }
        let stop = wasClean ? "closed in order" : "not closed in order"
        let log = logBytesFound.map { ", a log of \($0) bytes" } ?? ""
        let upgrade = openedVersion == schemaVersion ? "" : " (was \(openedVersion))"
        return "\(stop)\(log), schema \(schemaVersion)\(upgrade), \(rowsChecked) rows checked"
    }
}
