import Testing
import WorkflowDates

@testable import WorkflowCEL

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("2009-02-13T23:31:30Z", 1_234_567_890, 0, "2009-02-13T23:31:30Z"),
            ("2009-02-14T00:31:30.120+01:00", 1_234_567_890, 120_000_000, "2009-02-13T23:31:30.12Z"),
            ("1969-12-31t23:59:59.999999999z", -1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0, "0001-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.000000001-00:00", 253_402_300_799, 1, "9999-12-31T23:59:59.000000001Z"),
            ("2000-02-29T12:00:00-11:30", 951_867_000, 0, "2000-02-29T23:30:00Z"),
        ] as [(String, Int64, Int32, String)])
    func momentsAreReadAndWritten(text: String, seconds: Int64, nanoseconds: Int32, written: String) throws {
        let moment = try Timestamp(text: text)
        #expect(moment == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        #expect(moment.text == written)
    }

    @Test(arguments: [
        "", "2009-02-13", "2009-02-13T23:31:30", "2009-02-13 23:31:30Z", "2016-12-31T23:59:60Z", "2009-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2009-04-31T00:00:00Z", "2009-00-10T00:00:00Z", "2009-13-10T00:00:00Z",
        "2009-01-00T00:00:00Z",
        "2009-01-01T24:00:00Z", "2009-01-01T00:60:00Z", "2009-01-01T00:00:00.Z", "2009-01-01T00:00:00.1234567890Z",
        "2009-01-01T00:00:00+1:00", "2009-01-01T00:00:00+24:00", "2009-01-01T00:00:00+01:60",
        "2009-01-01T00:00:00+0100",
        "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2009-1-1T00:00:00Z", "2009-01-01T00:00:00ZZ",
        "٢٠٠٩-01-01T00:00:00Z",
    ])
    func whatIsNotRFC3339IsRefused(text: String) {
        #expect(
            LibraryCall.failure("timestamp", .string(text))
                == "the string is no timestamp; one is written as '2026-01-31T12:00:00Z'")
    }

    @Test(arguments: [
        "0000-12-31T23:59:59Z", "0001-01-01T00:59:59+01:00", "9999-12-31T23:00:00-01:00", "0000-01-01T00:00:00Z",
    ])
    func yearsAre1To9999InUTC(text: String) {
        #expect(
            LibraryCall.failure("timestamp", .string(text))
                == "the timestamp is out of range: its year is not 1 to 9999 in UTC")
    }

    @Test func everyDayOf3000YearsComesBack() {
        var date = CivilDate(year: 1, month: 1, day: 1)
        var days = date.daysSince1970
        var mistakes = 0
        while date.year < 3001 {
            if CivilDate(daysSince1970: days) != date || date.daysSince1970 != days { mistakes += 1 }
            days += 1
            let isLast = date.day == CivilDate.days(inMonth: date.month, of: date.year)
            let month = isLast ? date.month % 12 + 1 : date.month
            date = CivilDate(
                year: isLast && month == 1 ? date.year + 1 : date.year, month: month, day: isLast ? 1 : date.day + 1)
        }
        #expect(mistakes == 0)
        #expect(days == 376_565)
    }
}
