/// Whose time a store's events have. It never changes: times that somebody made up and real ones cannot be told apart
/// afterwards.
package enum StoreClock: String, Sendable {
    /// That of the machine's clock.
    case real
    /// That of a clock which stands still until it is told to go on.
    case virtual
}
