import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct TimeFunctionTests {
    @Test(arguments: [
        ("getFullYear", "2009"), ("getMonth", "1"), ("getDayOfMonth", "12"), ("getDate", "13"), ("getDayOfWeek", "5"),
        ("getDayOfYear", "43"), ("getHours", "23"), ("getMinutes", "31"), ("getSeconds", "30"),
        ("getMilliseconds", "123"),
    ])
    func fieldsAreInUTC(field: String, number: String) throws {
        let moment = try Value.moment("2009-02-13T23:31:30.123999Z")
        #expect(try LibraryCall.answer(field, moment) == number)
        #expect(try LibraryCall.answer(field, moment, .string("UTC")) == number)
        #expect(try LibraryCall.answer(field, moment, .string("-00:00")) == number)
    }

    @Test(arguments: [
        ("1969-12-31T23:59:59.5Z", "getMilliseconds", "500"), ("1969-12-31T23:59:59.5Z", "getDayOfWeek", "3"),
        ("0001-01-01T00:00:00Z", "getDayOfWeek", "1"), ("0001-01-01T00:00:00Z", "getFullYear", "1"),
        ("9999-12-31T23:59:59Z", "getDayOfYear", "364"), ("2000-12-31T00:00:00Z", "getDayOfYear", "365"),
        ("1900-03-01T00:00:00Z", "getDayOfYear", "59"), ("2024-02-29T12:00:00Z", "getDayOfMonth", "28"),
    ])
    func theCalendarIsGregorianThroughout(moment: String, field: String, number: String) throws {
        #expect(try LibraryCall.answer(field, .moment(moment)) == number)
    }

    @Test(arguments: [
        ("2026-03-29T00:59:59Z", "Europe/Paris", "1"), ("2026-03-29T01:00:00Z", "Europe/Paris", "3"),
        ("2026-10-25T00:59:59Z", "Europe/Paris", "2"), ("2026-10-25T01:00:00Z", "Europe/Paris", "2"),
        ("2026-07-01T12:00:00Z", "US/Central", "7"), ("2026-01-01T12:00:00Z", "Asia/Kathmandu", "17"),
        ("2026-01-01T12:00:00Z", "+11:30", "23"), ("2026-01-01T12:00:00Z", "02:00", "14"),
        ("0001-01-01T00:00:00Z", "-01:00", "23"), ("9999-12-31T23:00:00Z", "+14:00", "13"),
    ])
    func zonesFollowTheirClockChanges(moment: String, zone: String, hour: String) throws {
        #expect(try LibraryCall.answer("getHours", .moment(moment), .string(zone)) == hour)
    }

    @Test func aZoneMayBeInAnotherYear() throws {
        #expect(try LibraryCall.answer("getFullYear", .moment("0001-01-01T00:00:00Z"), .string("-01:00")) == "0")
        #expect(try LibraryCall.answer("getFullYear", .moment("9999-12-31T23:00:00Z"), .string("+01:00")) == "10000")
        #expect(try LibraryCall.answer("getMinutes", .moment("1900-01-01T00:00:00Z"), .string("Europe/Paris")) == "9")
    }

    @Test(arguments: [
        ("Europe/Pariss", "unknown time zone 'Europe/Pariss'; did you mean 'Europe/Paris'?"),
        ("", "unknown time zone ''; zones are named as 'Europe/Paris', 'UTC' or '+02:00'"),
        ("+2:00", "unknown time zone '+2:00'; zones are named as 'Europe/Paris', 'UTC' or '+02:00'"),
        ("+24:00", "unknown time zone '+24:00'; zones are named as 'Europe/Paris', 'UTC' or '+02:00'"),
        ("+01:60", "unknown time zone '+01:60'; zones are named as 'Europe/Paris', 'UTC' or '+02:00'"),
    ])
    func unknownZonesAreErrors(zone: String, message: String) throws {
        #expect(LibraryCall.failure("getHours", .timestamp(Timestamp(seconds: 0)), .string(zone)) == message)
    }

    @Test func aLongZoneIsNotRepeated() {
        let zone = Value.string(String(repeating: "x", count: 100_000))
        let message = LibraryCall.failure("getHours", .timestamp(Timestamp(seconds: 0)), zone)
        #expect(message.utf8.count < 200)
    }

    @Test func durationsAreConvertedNotSplit() throws {
        let duration = try Value.span("-1h1m1.5s")
        #expect(try LibraryCall.answer("getHours", duration) == "-1")
        #expect(try LibraryCall.answer("getMinutes", duration) == "-61")
        #expect(try LibraryCall.answer("getSeconds", duration) == "-3661")
        #expect(try LibraryCall.answer("getMilliseconds", duration) == "-500")
        #expect(try LibraryCall.answer("getMilliseconds", .span("123.321456789s")) == "321")
    }
}
