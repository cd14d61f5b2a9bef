import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// The text of an option `--since`: a time, or a span until now.
struct SinceText {
    private let text: String

    /// Throws the message for a text that is neither.
    static func check(_ text: String?) throws {
        guard let text else { return }
        let since = SinceText(text: text)
        if since.age == nil, since.time == nil {
            throw ValidationError(
                "'--since' takes a time, such as 2026-07-31 or 2026-07-31T09:30:00Z, or a span until now, "
                    + "\(DelayText.formsWithUnit)")
        }
    }

    /// Returns the time of a text. A span counts back from wfd's clock, which may be virtual.
    static func time(of text: String?, in session: Session) async throws -> WireTime? {
        guard let since = text.map(SinceText.init(text:)) else { return nil }
        guard let age = since.age else { return since.time }
        let now = try await session.withClient { try await $0.clock().now }
        return WireTime(milliseconds: max(0, now.milliseconds - age))
    }

    /// The milliseconds of a span; any other text may be a time.
    private var age: Int64? { try? DelayText.lengthWithUnit(of: text) }

    /// The time; hours, seconds and milliseconds may be missing.
    private var time: WireTime? {
        WireTime(text: text) ?? WireTime(text: text + "T00:00:00.000Z") ?? WireTime(text: "\(text.dropLast()).000Z")
    }
}
