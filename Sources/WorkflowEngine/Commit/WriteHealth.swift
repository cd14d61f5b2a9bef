import Synchronization

/// Whether the store takes what is written to it, as far as the writer knows.
final class WriteHealth: Sendable {
    private let state = Mutex<String?>(nil)

    /// Why the last write was not taken; nil when it was.
    var reason: String? { state.withLock { $0 } }

    func failed(_ reason: String) { state.withLock { $0 = reason } }

    /// Whether that is news.
    func succeeded() -> Bool {
        state.withLock { reason in
            defer { reason = nil }
            return reason != nil
        }
    }
}
