/// The clock of a store's event times. A store's clock never changes, because invented and real times cannot be told
/// apart afterwards.
package enum StoreClock: String, Sendable {
    /// The machine's clock.
    case real
    /// A clock that stands still until a caller advances it.
    case virtual
}
