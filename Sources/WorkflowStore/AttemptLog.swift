/// Records the attempts that have begun and not ended, so that they are known after the process dies.
///
/// The log is an aid, not a record of truth. If the log cannot be read or written, wfd knows less but delays no
/// attempt.
package protocol AttemptLog: Sendable {
    /// The place of the log, for people.
    var place: String { get }

    /// Returns the attempts that an earlier process began on this store and did not end, in the order of their begins.
    func unended() async -> [InterruptedAttempt]

    /// Drops the attempts of an earlier process.
    func forget() async

    /// Records the begin of an attempt, before the attempt begins.
    ///
    /// - Returns: False if the record could not be written.
    func began(_ attempt: AttemptBegin) async -> Bool

    /// Drops an attempt that has ended.
    func ended(_ attempt: AttemptBegin) async

    /// Closes the log, which then leaves nothing behind if every attempt has ended. No other call follows.
    func close() async
}

/// The begin of an attempt at an effect.
package struct AttemptBegin: Sendable, Hashable {
    package let effect: Position
    /// The round of the effect.
    package let round: Int64
    /// The number of the attempt; 1 for the first.
    package let number: Int64
    package let begun: Timestamp

    package init(effect: Position, round: Int64, number: Int64, begun: Timestamp) {
        self.effect = effect
        self.round = round
        self.number = number
        self.begun = begun
    }
}

/// An attempt that its process did not outlive.
package struct InterruptedAttempt: Sendable, Equatable {
    package let begin: AttemptBegin
    /// False if the machine itself was restarted since; then no program ended the daemon.
    package let isOfThisBoot: Bool

    package init(_ begin: AttemptBegin, isOfThisBoot: Bool) {
        self.begin = begin
        self.isOfThisBoot = isOfThisBoot
    }
}
