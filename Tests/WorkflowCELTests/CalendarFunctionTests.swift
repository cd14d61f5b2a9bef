import Testing

@testable import WorkflowCEL

/// Tests steps in the calendar of a place, and times as its clocks show them. The expected times are from Python's
/// `zoneinfo`. If a time is skipped or repeated, it uses the clocks before the change (PEP 495, fold 0).
@Suite struct CalendarFunctionTests {
    @Test(arguments: [
        ("2026-01-31T08:00:00Z", 1, "Europe/Paris", "2026-02-28T08:00:00Z"),
        ("2024-01-31T08:00:00Z", 1, "Europe/Paris", "2024-02-29T08:00:00Z"),
        ("2026-01-31T08:00:00Z", 2, "Europe/Paris", "2026-03-31T07:00:00Z"),
        ("2026-01-31T08:00:00Z", 3, "Europe/Paris", "2026-04-30T07:00:00Z"),
        ("2026-01-31T08:00:00Z", 12, "Europe/Paris", "2027-01-31T08:00:00Z"),
        ("2024-02-29T00:00:00Z", 12, "UTC", "2025-02-28T00:00:00Z"),
        ("2024-02-29T00:00:00Z", 48, "UTC", "2028-02-29T00:00:00Z"),
        ("2026-03-31T12:00:00.5Z", -1, "UTC", "2026-02-28T12:00:00.5Z"),
        ("2026-01-15T00:00:00Z", -1, "UTC", "2025-12-15T00:00:00Z"),
        // The last of a month here is the first of the next one there.
        ("2026-01-31T23:30:00Z", 1, "UTC", "2026-02-28T23:30:00Z"),
        ("2026-01-31T23:30:00Z", 1, "Europe/Paris", "2026-02-28T23:30:00Z"),
        ("2026-01-31T23:30:00Z", 1, "+00:45", "2026-02-28T23:30:00Z"),
        ("0001-01-31T00:00:00Z", 119_987, "UTC", "9999-12-31T00:00:00Z"),
        ("9999-12-31T00:00:00Z", -119_987, "UTC", "0001-01-31T00:00:00Z"),
    ])
    func aMonthLaterIsTheSameDayOrTheLast(from: String, months: Int64, zone: String, to: String) throws {
        #expect(try LibraryCall.answer("addMonths", .moment(from), .int(months), .string(zone)) == to)
    }

    @Test(arguments: [
        // 02:30 is skipped.
        ("2026-02-28T01:30:00Z", 1, "2026-03-28T01:30:00Z"), ("2026-01-29T01:30:00Z", 2, "2026-03-29T01:30:00Z"),
        // 02:30 comes twice: the one with the offset that the moment had.
        ("2026-09-25T00:30:00Z", 1, "2026-10-25T00:30:00Z"), ("2026-11-25T01:30:00Z", -1, "2026-10-25T01:30:00Z"),
        ("2026-10-25T00:30:00Z", 0, "2026-10-25T00:30:00Z"), ("2026-10-25T01:30:00Z", 0, "2026-10-25T01:30:00Z"),
    ])
    func clocksThatChangeAreFollowed(from: String, months: Int64, to: String) throws {
        #expect(try LibraryCall.answer("addMonths", .moment(from), .int(months), .string("Europe/Paris")) == to)
    }

    @Test(arguments: [
        ("2026-01-31T09:00", "Europe/Paris", "2026-01-31T08:00:00Z"),
        ("2026-07-01T09:00:00", "Europe/Paris", "2026-07-01T07:00:00Z"),
        ("2026-07-01t09:00:00.25", "+02:00", "2026-07-01T07:00:00.25Z"),
        ("2026-12-31", "Asia/Kathmandu", "2026-12-30T18:15:00Z"),
        ("2060-07-01T09:00", "Europe/Paris", "2060-07-01T07:00:00Z"),
        // Skipped.
        ("2026-03-29T02:30", "Europe/Paris", "2026-03-29T01:30:00Z"),
        ("2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00Z"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
        ("2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"),
        // A whole day is skipped.
        ("2011-12-30T12:00", "Pacific/Apia", "2011-12-30T22:00:00Z"),
        // These local times come twice.
        ("2026-10-25T02:30", "Europe/Paris", "2026-10-25T00:30:00Z"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00Z"),
        ("2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00Z"),
    ])
    func aLocalTimeIsAMoment(local: String, zone: String, moment: String) throws {
        #expect(try LibraryCall.answer("timestamp", .string(local), .string(zone)) == moment)
    }

    @Test(arguments: [
        "", "2026", "2026-02-29", "2026-01-31T", "2026-01-31T9:00", "2026-01-31T24:00", "2026-01-31 09:00",
        "2026-01-31T09:00:60", "2026-01-31T09:00.5", "2026-01-31T09:00:00.1234567891", "2026-1-31", "31.01.2026",
    ])
    func otherTextIsNoLocalTime(text: String) {
        let message = "the string is no local time; one is written as '2026-01-31T09:00'"
        #expect(LibraryCall.failure("timestamp", .string(text), .string("UTC")) == message)
        #expect(Trial.issues("timestamp('\(text)', context.zone)") == ["1:11 \(message)"])
    }

    @Test(arguments: ["2026-01-31T09:00Z", "2026-01-31T09:00:00+01:00"])
    func aTimeWithAnOffsetNeedsNoZone(text: String) {
        let message = "the string has an offset from UTC; timestamp takes it without a zone"
        #expect(LibraryCall.failure("timestamp", .string(text), .string("UTC")) == message)
    }

    private static let outOfRange = "the timestamp is out of range: its year is not 1 to 9999 in UTC"

    @Test(arguments: [1, 120_000, 120_001, .max, .min, -119_988] as [Int64])
    func monthsOutOfRangeAreErrors(months: Int64) throws {
        let moment = try Value.moment(months > 0 ? "9999-12-01T00:00:00Z" : "9999-12-31T00:00:00Z")
        #expect(LibraryCall.failure("addMonths", moment, .int(months), .string("UTC")) == Self.outOfRange)
    }

    @Test func theEndsOfTimeAreNotPassed() throws {
        #expect(LibraryCall.failure("timestamp", .string("0000-06-01"), .string("UTC")) == Self.outOfRange)
        #expect(LibraryCall.failure("timestamp", .string("9999-12-31T23:00"), .string("-02:00")) == Self.outOfRange)
        #expect(try LibraryCall.answer("timestamp", .string("0000-12-31T23:00"), .string("-02:00")).hasPrefix("0001-"))
    }

    @Test func unknownZonesAreErrors() throws {
        let message = "unknown time zone 'Europe/Pariss'; did you mean 'Europe/Paris'?"
        let (zone, moment) = (Value.string("Europe/Pariss"), try Value.moment("2026-01-31T00:00:00Z"))
        #expect(LibraryCall.failure("timestamp", .string("2026-01-31"), zone) == message)
        #expect(LibraryCall.failure("addMonths", moment, .int(1), zone) == message)
    }

    @Test func theyCostMoreThanAField() throws {
        let moment = try Value.moment("2026-01-31T00:00:00Z")
        #expect(try LibraryCall.cost("getHours", moment, .string("Europe/Paris")) == 2)
        #expect(try LibraryCall.cost("addMonths", moment, .int(1), .string("Europe/Paris")) == 10)
        #expect(try LibraryCall.cost("timestamp", .string("2026-01-31"), .string("Europe/Paris")) == 10)
    }

    @Test(
        arguments: [
            ("event.at.addMonths(1)", "timestamp.addMonths(int); there is timestamp.addMonths(int, string)"),
            (
                "event.at.addMonths('1', 'UTC')",
                "timestamp.addMonths(string, string); there is timestamp.addMonths(int, string)"
            ),
            ("addMonths(event.at, 1, 'UTC')", nil),
            ("timestamp(1, 'UTC')", "timestamp(int, string); there is timestamp(string, string)"),
            ("event.at.addMonths(1, 'UTC') + 1.5", nil),
        ] as [(String, String?)])
    func theirTypesAreChecked(text: String, overload: String?) throws {
        let issue = try #require(Trial.issues(text).first)
        if let overload { #expect(issue.hasSuffix("no such overload: \(overload)")) }
    }

    /// The message may be in the context of instances from the time before zones.
    @Test func aFailureOfACallWithoutAZoneIsToldAsBefore() {
        #expect(
            Trial.issues("timestamp(true)") == [
                "1:1 no such overload: timestamp(bool); "
                    + "there is timestamp(timestamp), timestamp(string), timestamp(int)"
            ])
    }

    /// The language definition has these fields in "Abstract types: timestamps and durations".
    @Test func everyFieldIsThereWithAZoneAndWithout() {
        let fields = [
            "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours",
            "getMinutes", "getSeconds", "getMilliseconds",
        ]
        for field in fields {
            let parameters = FunctionLibrary.overloads(named: field, isMember: true).map(\.parameters)
            #expect(parameters.contains([.timestamp]) && parameters.contains([.timestamp, .string]), "\(field)")
            #expect(parameters.contains([.duration]) == field.hasSuffix("s"), "\(field)")
        }
    }
}
