/// The messages about an invocation that took too long.
package enum InvocationTimeout {
    private static let beginning = "there was no result within "
    private static let end = " ms"

    /// Returns the message that snapshots store. The text must not change, because digests of recorded histories cover
    /// it.
    static func message(milliseconds: Int64) -> String { "\(beginning)\(milliseconds)\(end)" }

    /// Returns the message for people, with the time as a definition writes it: `there was no result within 2d`.
    /// Returns any other message unchanged.
    package static func shown(_ message: String) -> String {
        guard message.hasPrefix(beginning), message.hasSuffix(end),
            let milliseconds = Int64(message.dropFirst(beginning.count).dropLast(end.count))
        else { return message }
        return beginning + DelayText.text(milliseconds: milliseconds)
    }
}
