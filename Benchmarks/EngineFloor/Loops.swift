/// A work and the same written by hand; both are told how often to do it, and say how often they did.
package struct Loops: Sendable {
    /// Runs the work so often.
    package let ours: @Sendable (Int) throws -> Int
    /// Runs what is written by hand so often.
    package let floor: @Sendable (Int) throws -> Int

    /// Both sides.
    package init(
        ours: @escaping @Sendable (Int) throws -> Int, floor: @escaping @Sendable (Int) throws -> Int
    ) {
        self.ours = ours
        self.floor = floor
    }
}
