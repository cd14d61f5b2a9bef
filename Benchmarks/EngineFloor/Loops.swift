/// A piece of work, and the same written by hand. Both take the number of repetitions, and return how many they did.
package struct Loops: Sendable {
    /// Does the work a number of times.
    package let ours: @Sendable (Int) throws -> Int
    /// Does the work written by hand a number of times.
    package let floor: @Sendable (Int) throws -> Int

    /// Creates the loops of both sides.
    package init(
        ours: @escaping @Sendable (Int) throws -> Int, floor: @escaping @Sendable (Int) throws -> Int
    ) {
        self.ours = ours
        self.floor = floor
    }
}
