/// The place where a daemon keeps its tokens. It is apart from the data, so that no backup has a credential.
package protocol AccessStorage: Sendable {
    /// The path or the address, for messages.
    var path: String { get }

    /// Returns the content; `nil` if nothing was ever written. Blocks.
    func read() throws(AccessError) -> [UInt8]?

    /// Replaces the content, which is durable on return. A crash leaves the old content or the new one. Blocks.
    ///
    /// - Parameter replaced: Called when readers see the new content, which a power failure may still undo.
    func write(_ bytes: [UInt8], replaced: () -> Void) throws(AccessError)
}
