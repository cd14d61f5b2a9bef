/// This daemon's right to write to a store that several daemons serve, one of them at a time.
package protocol Ownership: Sendable {
    /// Waits until this daemon owns the store, and prepares it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. Another error ends the engine.
    func begin() async throws
    /// Called when commands are carried out.
    func serves()
    /// False if another daemon may own the store by now. Then no effect starts.
    var mayStartEffects: Bool { get }
}
