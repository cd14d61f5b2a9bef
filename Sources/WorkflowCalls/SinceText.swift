import Statechart
package import WorkflowAPI

/// The text of a beginning, as `--since` takes it: a time, or a span until now.
package struct SinceText: Sendable {
    private enum Beginning {
        case time(WireTime)
        case age(milliseconds: Int64)
    }

    private let beginning: Beginning

    /// The forms that are read, for messages.
    package static let forms =
        "a time, such as 2026-07-31 or 2026-07-31T09:30:00Z, or a span until now, \(DelayText.formsWithUnit)"

    /// Reads a text; `nil` for one that is neither. Hours, seconds and milliseconds of a time may be missing.
    package init?(_ text: String) {
        if let age = try? DelayText.lengthWithUnit(of: text) {  // Any other text may be a time.
            beginning = .age(milliseconds: age)
        } else if let time = WireTime(text: text) ?? WireTime(text: text + "T00:00:00.000Z")
            ?? WireTime(text: "\(text.dropLast()).000Z")
        {
            beginning = .time(time)
        } else {
            return nil
        }
    }

    /// Returns the time. A span counts back from wfd's clock, which may be virtual.
    package func time(from client: WorkflowClient) async throws(ClientError) -> WireTime {
        switch beginning {
        case .time(let time): return time
        case .age(let age): return WireTime(milliseconds: max(0, try await client.clock().now.milliseconds - age))
        }
    }
}
