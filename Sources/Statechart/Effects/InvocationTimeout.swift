/// The words about an invocation that took too long.
package enum InvocationTimeout {
    private static let beginning = "there was no result within "
    private static let end = " ms"

    /// The message that snapshots keep. Digests of recorded histories go over it, so that it stays as it is.
    static func message(milliseconds: Int64) -> String { "\(beginning)\(milliseconds)\(end)" }

    /// The same for people, as a definition writes the time: `there was no result within 2d`. Any other message stays.
    package static func shown(_ message: String) -> String {
        guard message.hasPrefix(beginning), message.hasSuffix(end),
            let milliseconds = Int64(message.dropFirst(beginning.count).dropLast(end.count))
        else { return message }
        return beginning + DelayText.text(milliseconds: milliseconds)
    }
}
