/// Keeps which attempts have begun and not ended, so that the death of the process does not lose it.
///
/// The log is a help and no record: one that cannot be read or written only knows less, and delays no attempt.
package protocol AttemptLog: Sendable {
    /// The place where it keeps them, for people.
    var place: String { get }

    /// The attempts that an earlier process has begun on this store and not ended, in the order of their begins.
    func unended() async -> [InterruptedAttempt]

    /// Drops what an earlier process has left.
    func forget() async

    /// Keeps that an attempt begins, before it does.
    ///
    /// - Returns: False when that could not be written.
    func began(_ attempt: AttemptBegin) async -> Bool

    /// Drops an attempt that has ended.
    func ended(_ attempt: AttemptBegin) async

    /// Leaves nothing behind when every attempt has ended. Nothing is asked afterwards.
    func close() async
}

/// The begin of an attempt at an effect.
package struct AttemptBegin: Sendable, Hashable {
    package let effect: Position
    /// The round of the effect.
    package let round: Int64
    /// 1 for the first attempt.
    package let number: Int64
    package let begun: Timestamp

    package init(effect: Position, round: Int64, number: Int64, begun: Timestamp) {
        self.effect = effect
        self.round = round
        self.number = number
        self.begun = begun
    }
}

/// An attempt whose process did not outlive it.
package struct InterruptedAttempt: Sendable, Equatable {
    package let begin: AttemptBegin
    /// False when the machine itself was restarted since: then no program ended the daemon.
    package let isOfThisBoot: Bool

    package init(_ begin: AttemptBegin, isOfThisBoot: Bool) {
        self.begin = begin
        self.isOfThisBoot = isOfThisBoot
    }
}
