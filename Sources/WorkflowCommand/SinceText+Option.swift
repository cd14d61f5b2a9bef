import ArgumentParser
import WorkflowAPI
import WorkflowClient

extension SinceText {
    /// Throws the message for a text of `--since` that is neither a time nor a span.
    static func check(_ text: String?) throws {
        guard let text, SinceText(text) == nil else { return }
        throw ValidationError("'--since' takes \(forms)")
    }

    /// Returns the time of a text.
    static func time(of text: String?, in session: Session) async throws -> WireTime? {
        guard let since = text.flatMap({ SinceText($0) }) else { return nil }
        return try await session.withClient { try await since.time(from: $0) }
    }
}
