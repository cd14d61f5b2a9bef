/// A request of one client, and its answer.
struct Attempt: Sendable {
    /// The client's knowledge of an event that it sent.
    enum Outcome: Equatable, Sendable {
        /// The event was acknowledged with this seq.
        case accepted(Int64)
        /// The event was acknowledged without a seq.
        case taken
        /// The event was refused, so it changed nothing.
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
    /// The marker in the data of the event or result, unique in the file; `nil` for a start.
    let marker: Marker?
    var outcome = Outcome.unknown

    var isAccepted: Bool { outcome.isAccepted }
}

/// A mark by which an event is recognised in the journal.
struct Marker: Hashable, Sendable, CustomStringConvertible {
    let client: Int64
    let number: Int64

    var description: String { "event \(number) of client \(client)" }
}
