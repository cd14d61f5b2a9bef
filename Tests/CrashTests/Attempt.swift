/// What one client sent, and what it was told.
struct Attempt: Sendable {
    /// What a client knows of an event it sent.
    enum Outcome: Equatable, Sendable {
        /// Acknowledged with this seq.
        case accepted(Int64)
        /// Refused: nothing changed.
        case refused
        /// The connection ended before an answer came.
        case unknown
    }

    let instance: String
    /// With `client`, in the data of the event: names the attempt in the whole file. Nil for a start.
    let marker: Marker?
    var outcome = Outcome.unknown

    var isAccepted: Bool {
        if case .accepted = outcome { true } else { false }
    }
}

/// How an event is recognised in the journal.
struct Marker: Hashable, Sendable, CustomStringConvertible {
    let client: Int64
    let number: Int64

    var description: String { "event \(number) of client \(client)" }
}
