import Statechart
import Testing

/// Tests times in the form of messages.
@Suite struct LogicalTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_785_490_200_000, "2026-07-31T09:30:00.000Z"), (1_785_490_200_007, "2026-07-31T09:30:00.007Z"),
        (221_845_391_999_990, "8999-12-31T23:59:59.990Z"),
    ])
    func itAlwaysHasMilliseconds(milliseconds: Int64, text: String) {
        #expect(LogicalTime(milliseconds: milliseconds).text == text)
    }
}
