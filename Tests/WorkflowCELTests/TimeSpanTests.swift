import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct TimeSpanTests {
    @Test(arguments: [
        ("0", "0s"), ("-0", "0s"), ("1.5s", "1.5s"), ("1h30m", "5400s"), ("-2.5ms", "-0.0025s"), ("+1us", "0.000001s"),
        ("1µs1μs", "0.000002s"), ("999999999ns", "0.999999999s"), ("0.1ns", "0s"), ("1.9999999999s", "1.999999999s"),
        (".5h", "1800s"), ("1.m", "60s"), ("1m1h1m", "3720s"), ("-1h0.5s", "-3600.5s"), ("1000000s", "1000000s"),
        ("9223372036.854775807s", "9223372036.854775807s"), ("-9223372036.854775808s", "-9223372036.854775808s"),
        ("0.000000000000000000000000000001h", "0s"), ("0.333333333333333333333333h", "1199.999999999s"),
    ])
    func durationsAreReadAndWritten(text: String, written: String) throws {
        #expect(TimeSpan.text(try TimeSpan.read(text)) == written)
        #expect(TimeSpan.text(try TimeSpan.read(written)) == written)
    }

    @Test(arguments: [
        "", "-", "1", "s", ".s", "1 s", "1s ", "--1s", "1h-1m", "1e3s", "1.5.5s", "00", "١s",
    ])
    func otherTextIsRefused(text: String) {
        #expect(
            LibraryCall.failure("duration", .string(text))
                == "the string is no duration; one is written as '30d', '1h30m', '1.5s' or 'PT1H'")
    }

    @Test(arguments: [
        ("30d", "2592000s"), ("1w", "604800s"), ("1w2d3h", "788400s"), ("-1d", "-86400s"), ("1.5d", "129600s"),
        ("P3D", "259200s"), ("P1W", "604800s"), ("PT1H30M", "5400s"), ("P1DT0.5S", "86400.5s"), ("-P1D", "-86400s"),
        ("1h30m", "5400s"), ("0", "0s"),
    ])
    func aDurationIsWrittenAsADelay(text: String, written: String) throws {
        #expect(TimeSpan.text(try TimeSpan.read(text)) == written)
        #expect(Trial.issues("duration('\(text)')") == [])
        #expect(try Trial.value("string(duration('\(text)'))") == "'\(written)'")
        #expect(try Trial.value("string(duration('' + '\(text)'))") == "'\(written)'")
        #expect(try CELType.duration.converted(.string(text), at: "data") == .string(text))
    }

    /// The text of an expression is read when a definition is applied; a text in data is read when a history is folded.
    @Test(arguments: ["30d", "1w", "P3D", "PT1H30M"])
    func theFirstVersionReadsDaysOnlyWhereTheyAreWrittenOut(text: String) throws {
        var environment = Trial.environment
        environment.version = .first
        let message = "the string is no duration; one is written as '1h30m' or '1.5s'"
        let written = try Trial.program("duration('\(text)')", in: environment)
        let computed = try Trial.program("duration('' + '\(text)')", in: environment)
        var budget = Budget()
        let value = try written.value(Trial.Host(), &budget)
        #expect(Trial.written(value) == Trial.written(.duration(try TimeSpan.read(text))))
        let error = #expect(throws: EvaluationError.self) { try computed.value(Trial.Host(), &budget) }
        #expect(error?.message == message)
        #expect(throws: JSONMismatch.self) {
            try CELType.duration.converted(.string(text), at: "data", in: .first)
        }
        #expect(throws: JSONMismatch.self) {
            try CELType.list(.duration).converted([.string(text)], at: "data", in: .first)
        }
    }

    @Test(arguments: [
        "30 d", "P", "PT", "P1M", "P1Y", "P3", "P3T1H", "P1DT", "PT1S1H", "P1D1W", "P1D1D", "p1d", "P1H", "PT1D", "1mo",
        "+P1D", "P-1D", "1000",
    ])
    func otherTextThatIsWrittenOutIsRefused(text: String) {
        let message = "1:10 the string is no duration; one is written as '30d', '1h30m', '1.5s' or 'PT1H'"
        #expect(Trial.issues("duration('\(text)')") == [message])
    }

    @Test func aDurationThatIsWrittenOutIsAtMost292Years() {
        #expect(Trial.issues("duration('106751d')") == [])
        #expect(Trial.issues("duration('106752d')") == ["1:10 \(Self.tooLong)"])
        #expect(Trial.issues("duration('99999999999999999999w')") == ["1:10 \(Self.tooLong)"])
    }

    private static let tooLong = "the duration is out of range: it is longer than 9223372036 s, some 292 years"

    @Test(arguments: [
        "9223372036.854775808s", "-9223372036.854775809s", "320000000000s", "-2562048h", "99999999999999999999999999h",
        "9223372036s9223372036s",
    ])
    func aDurationIsAtMost292Years(text: String) {
        #expect(LibraryCall.failure("duration", .string(text)) == Self.tooLong)
    }

    @Test func arithmeticIsExact() throws {
        let moment = try Timestamp(text: "0001-01-01T00:00:01.999999999Z")
        let sum = try TimeSpan.sum(moment, .nanoseconds(999_999_999))
        #expect(sum.text == "0001-01-01T00:00:02.999999998Z")
        #expect(try TimeSpan.difference(sum, .nanoseconds(999_999_999)) == moment)
        #expect(try TimeSpan.difference(moment, sum) == .nanoseconds(-999_999_999))
        #expect(try TimeSpan.difference(.seconds(1), .milliseconds(1500)) == .milliseconds(-500))
        #expect(try TimeSpan.sum(.seconds(-1), .milliseconds(1500)) == .milliseconds(500))
        #expect(try TimeSpan.sum(Timestamp.latest, .zero) == .latest)
    }

    @Test func whatDoesNotFitIsAnError() throws {
        let year = "the timestamp is out of range: its year is not 1 to 9999 in UTC"
        #expect(message { () throws(EvaluationError) in try TimeSpan.sum(.latest, .nanoseconds(1)) } == year)
        #expect(message { () throws(EvaluationError) in try TimeSpan.sum(.earliest, .nanoseconds(-1)) } == year)
        #expect(message { () throws(EvaluationError) in try TimeSpan.difference(.earliest, .nanoseconds(1)) } == year)
        let longest = Duration.nanoseconds(Int64.max)
        #expect(message { () throws(EvaluationError) in try TimeSpan.sum(longest, .nanoseconds(1)) } == Self.tooLong)
        #expect(
            message { () throws(EvaluationError) in try TimeSpan.difference(.zero - longest, longest) } == Self.tooLong)
        #expect(
            message { () throws(EvaluationError) in try TimeSpan.difference(Timestamp.latest, .earliest) }
                == Self.tooLong)
        #expect(message { () throws(EvaluationError) in try TimeSpan.nanoseconds(.seconds(Int64.max)) } == Self.tooLong)
        #expect(
            message { () throws(EvaluationError) in try TimeSpan.sum(.latest, .seconds(Int64.max)) } == Self.tooLong)
    }

    /// Returns the error's message; `nil` if there is no error.
    private func message(_ body: () throws(EvaluationError) -> some Any) -> String? {
        do throws(EvaluationError) {
            _ = try body()
            return nil
        } catch {
            return error.message
        }
    }
}
