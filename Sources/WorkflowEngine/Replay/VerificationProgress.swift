/// The progress of a verification or a replay.
package struct VerificationProgress: Sendable, Equatable {
    /// The number of journal rows that are done.
    package var done: Int
    /// The approximate number of all journal rows, which includes unused positions.
    package var total: Int
}
