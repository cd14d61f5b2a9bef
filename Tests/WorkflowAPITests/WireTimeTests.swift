import Testing
import ThreadTesting
import WorkflowAPI

@Suite(.ownThreads) struct WireTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_785_490_200_123, "2026-07-31T09:30:00.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func momentsHaveOneWrittenForm(milliseconds: Int64, text: String) {
        #expect(WireTime(milliseconds: milliseconds).text == text)
        #expect(WireTime(text: text) == WireTime(milliseconds: milliseconds))
    }

    /// A time without a written form is written as the nearest one that has one.
    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
        (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
    ])
    func noMomentEndsTheProcess(milliseconds: Int64, text: String) {
        #expect(WireTime(milliseconds: milliseconds).text == text)
    }

    @Test(arguments: [
        "", "2026-07-31", "2026-07-31T09:30:00Z", "2026-07-31T09:30:00.000", "2026-07-31T09:30:00.000+02:00",
        "2026-02-29T09:30:00.000Z", "2026-13-01T09:30:00.000Z", "2026-00-01T09:30:00.000Z",
        "2026-07-00T09:30:00.000Z", "2026-04-31T09:30:00.000Z", "2026-07-31T24:00:00.000Z",
        "2026-07-31T09:60:00.000Z", "2026-07-31T09:30:60.000Z", "2026-07-31 09:30:00.000Z",
        "2026-07-31T09:30:00.0000Z", "-026-07-31T09:30:00.000Z",
    ])
    func otherFormsAreNotRead(text: String) {
        #expect(WireTime(text: text) == nil)
    }

    @Test func everyDayOfFourCenturiesComesBack() {
        for day in Int64(0)..<146_097 {
            let time = WireTime(milliseconds: day * 86_400_000)
            if WireTime(text: time.text) != time {
                Issue.record("day \(day) is written as \(time.text) and read as something else")
                return
            }
        }
    }
}
