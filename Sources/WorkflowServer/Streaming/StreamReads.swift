/// Lets streams read within the memory for all answers.
///
/// The size of a read is known only afterwards: a row may be larger than a part. So a few reads run at once, and each
/// begins while there is room. Its bytes count from then on, until the last reference to its share is released. All
/// streams together hold at most half of the memory. So pages are answered however many streams nobody reads.
final class StreamReads: Sendable {
    /// Reads at once; the store has the same number.
    static let atOnce = 4
    /// The longest wait of a read for room and for its turn; a caller that does not read is cut off by then.
    private static let patience: Duration = .seconds(30)

    let budget: AnswerBudget
    private let turns = AnswerBudget(limit: atOnce, waiting: patience)
    /// The bytes that all streams hold.
    private let held: AnswerBudget

    init(budget: AnswerBudget) {
        self.budget = budget
        held = AnswerBudget(limit: budget.limit / 2, waiting: Self.patience, givesMemoryBack: false)
    }

    /// Reserves bytes if they are free and no stream waits for them; otherwise returns `nil`.
    func share(of bytes: Int) -> AnswerBudget.Share? {
        guard let part = held.share(of: bytes), let share = budget.share(of: bytes) else { return nil }
        share.counts(in: part)
        return share
    }

    private func reserve(_ bytes: Int) async throws -> AnswerBudget.Share {
        let part = try await held.reserve(bytes)
        let share = try await budget.reserve(bytes, patience: Self.patience)
        share.counts(in: part)
        return share
    }

    /// Reads when there is room for the expected bytes. The wait ends as other callers read their answers or are cut
    /// off.
    ///
    /// - Parameter size: Returns the bytes of the value that was read.
    func read<Value: Sendable>(
        expecting bytes: Int, size: (Value) -> Int, _ read: () async throws -> Value
    ) async throws -> (Value, AnswerBudget.Share) {
        while true {
            let share = try await reserve(bytes)
            if let value = try await self.read(into: share, size: size, read) { return (value, share) }
        }
    }

    /// Reads into a share, which then has the size of the value that was read. Returns `nil`, and reads nothing, if
    /// other reads have exceeded the room meanwhile.
    func read<Value: Sendable>(
        into share: AnswerBudget.Share, size: (Value) -> Int, _ read: () async throws -> Value
    ) async throws -> Value? {
        let turn = try await turns.reserve(1)
        defer { withExtendedLifetime(turn) {} }
        guard !budget.isSpent(by: 0), !held.isSpent(by: 0) else {
            share.resize(to: 0)
            return nil
        }
        let value = try await read()
        share.resize(to: size(value))
        return value
    }
}
