/// Lets streams read within the memory for all answers.
///
/// How much a read brings is known only when it is there: a row may be larger than a part. So a few reads run at once,
/// each begins while there is room, and what it brought counts from then on, until nobody holds its share. All streams
/// hold half of the memory at most: pages are answered however many streams nobody reads.
final class StreamReads: Sendable {
    /// Reads at once: as many as the store does.
    static let atOnce = 4
    /// How long a read waits for room and for its turn: whoever does not read is cut off by then.
    private static let patience: Duration = .seconds(30)

    let budget: AnswerBudget
    private let turns = AnswerBudget(limit: atOnce, waiting: patience)
    /// What all streams hold.
    private let held: AnswerBudget

    init(budget: AnswerBudget) {
        self.budget = budget
        held = AnswerBudget(limit: budget.limit / 2, waiting: Self.patience, givesMemoryBack: false)
    }

    /// Reserves bytes when they are there and nobody waits for them.
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

    /// Reads when there is room for what is expected; waits for that while others are read or cut off.
    ///
    /// - Parameter size: Gives the bytes of what was read.
    func read<Value: Sendable>(
        expecting bytes: Int, size: (Value) -> Int, _ read: () async throws -> Value
    ) async throws -> (Value, AnswerBudget.Share) {
        while true {
            let share = try await reserve(bytes)
            if let value = try await self.read(into: share, size: size, read) { return (value, share) }
        }
    }

    /// Reads into a share, which has the size of what was read afterwards. Nil, and nothing is read, when others have
    /// brought more than there was room for meanwhile.
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
