import WorkflowCEL

extension LogicalTime {
    /// The time in ISO 8601, in UTC, always with milliseconds: `2026-07-31T09:30:00.000Z`.
    package var text: String {
        let moment = Timestamp(milliseconds: milliseconds)
        let fraction = "\(1_000 + moment.nanoseconds / 1_000_000)".dropFirst()
        return "\(Timestamp(seconds: moment.seconds).text.dropLast()).\(fraction)Z"
    }
}
