/// What one client sent, and what it was told.
struct Attempt: Sendable {
    /// What a client knows of an event it sent.
    enum Outcome: Equatable, Sendable {
        /// Acknowledged with this seq.
        case accepted(Int64)
        /// Acknowledged; its seq was not told.
        case taken
        /// Refused: nothing changed.
        case refused
        /// The connection ended before an answer came.
        case unknown

        var isAccepted: Bool {
            switch self {
            case .accepted, .taken: true
            case .refused, .unknown: false
            }
        }
    }

    let instance: String
    /// In the data of the event or result: names the attempt in the whole file. Nil for a start.
    let marker: Marker?
    var outcome = Outcome.unknown

    var isAccepted: Bool { outcome.isAccepted }
}

/// How an event is recognised in the journal.
struct Marker: Hashable, Sendable, CustomStringConvertible {
    let client: Int64
    let number: Int64

    var description: String { "event \(number) of client \(client)" }
}
