import WorkflowStore

/// A failure of a request, without its parameters and without data.
struct PostgresFailure: Error, CustomStringConvertible {
    enum Kind: Equatable {
        /// The server refused a request and keeps the connection. The SQLSTATE says why
        /// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
        case refused(state: String)
        /// The connection broke, the server ended it, or no answer came in time. Requests may have been carried out.
        case lost
        /// The database has a value that no wfd writes.
        case damaged
    }

    let kind: Kind
    let message: String
    /// True if every host refused this user or this database when connecting, so that a later try finds the same.
    var isDenied = false
    /// The place of the refused request among those of the pipeline, from 0.
    var place: Int?

    init(_ kind: Kind, _ message: String, place: Int? = nil) {
        self.kind = kind
        self.message = message
        self.place = place
    }

    /// Converts an error of reading an answer, which is always such a failure.
    init(_ error: any Error) {
        self = error as? PostgresFailure ?? PostgresFailure(.damaged, String(describing: type(of: error)))
    }

    /// The SQLSTATE of a refusal; `nil` for other failures.
    var state: String? {
        if case .refused(let state) = kind { state } else { nil }
    }

    /// True if the same requests may succeed at once: a serialization failure, a deadlock, or a wait for a lock.
    var isWorthRepeating: Bool {
        switch state {
        case "40001", "40P01", "55P03": true
        default: false
        }
    }

    /// The code of a failure after which nothing is written.
    var code: StoreError.Code {
        switch kind {
        case .lost: .unavailable
        case .damaged: .corrupt
        case .refused(let state):
            switch state.prefix(2) {
            case "22", "23": .constraint
            case "XX" where state == "XX001" || state == "XX002": .corrupt
            default: .unavailable
            }
        }
    }

    var description: String {
        if let state { "\(message) (SQLSTATE \(state))" } else { message }
    }
}

extension StoreError {
    /// Creates an error from a failure after which nothing is written.
    ///
    /// - Parameter deed: The failed work, such as `Cannot write`.
    init(_ deed: String, _ failure: PostgresFailure) {
        self.init(failure.code, "\(deed): \(failure)")
    }
}
