/// How far a verification or a replay is.
package struct VerificationProgress: Sendable, Equatable {
    /// Journal rows that are done.
    package var done: Int
    /// Journal rows in sum, about: positions that nobody has are among them.
    package var total: Int

    package init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}
