import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the messages about a body that cannot be read.
struct WireErrorTests {
    @Test(arguments: [
        (
            #"{"evnt":"pay","event":"pay"}"#,
            "Unknown field 'evnt' (known here: event, data, expect); did you mean 'event'?"
        ),
        (#"{"event":"pay","zzzz":1}"#, "Unknown field 'zzzz' (known here: event, data, expect)"),
        (
            #"{"event":"pay","expect":{"sequence":4}}"#,
            "Unknown field 'expect.sequence' (known here: seq, state)"
        ),
        (#"{"data":1}"#, "Field 'event' is missing"),
        (#"{"event":null}"#, "Field 'event' must be a string, not null"),
        (#"{"event":3}"#, "Field 'event' must be a string, not an int"),
        (#"{"event":"pay","expect":[]}"#, "Field 'expect' must be a map, not a list"),
        (#"{"event":"pay","expect":{"seq":"4"}}"#, "Field 'expect.seq' must be an int, not a string"),
        (#"{"event":"pay","expect":{"seq":4.0}}"#, "Field 'expect.seq' must be an int, not a double"),
        ("[]", "The body must be a map, not a list"),
        (#"{"event":"#, "The body is not JSON: line 1, column 10: expected a value, found the end of the text"),
    ])
    func sendRequestIsRefused(text: String, message: String) {
        #expect {
            try SendRequest(body: Array(text.utf8))
        } throws: { error in
            let problem = (error as? WireError).map { Problem($0) }
            return problem?.detail == message && problem?.type == .invalidRequest
        }
    }

    /// A line is an event or a start, and has no field of the other.
    @Test(arguments: [
        (#"{"instance":"a"}"#, "Field 'event' or 'start' is missing"),
        (#"{"instance":"a","event":null,"start":null}"#, "Field 'event' or 'start' is missing"),
        (#"{"event":"pay"}"#, "Field 'instance' is missing"),
        (
            #"{"instance":"a","event":"pay","start":{"machine":"m"}}"#,
            "Unknown field 'start' (known here: instance, event, data, expect, key)"
        ),
        (
            #"{"instance":"a","start":{"machine":"m"},"expect":{"seq":1}}"#,
            "Unknown field 'expect' (known here: instance, event, start, key)"
        ),
        (#"{"instance":"a","start":{}}"#, "Field 'start.machine' is missing"),
        (#"{"instance":"a","start":"m"}"#, "Field 'start' must be a map, not a string"),
        (
            #"{"instance":"a","start":{"machine":"m","instance":"b"}}"#,
            "Unknown field 'start.instance' (known here: machine, version, data)"
        ),
    ])
    func aLineOfABatchIsRefused(text: String, message: String) {
        #expect {
            try BatchLine(line: Array(text.utf8))
        } throws: { ($0 as? WireError).map { Problem($0).detail } == message }
    }

    @Test func elementsOfListsAreNamedByTheirPlace() {
        let text = #"{"items":[{"event":"a","accepted":true},{"event":1}]}"#
        #expect(
            throws: WireError(
                .invalidValue, path: "items[1].event", message: "Field 'items[1].event' must be a string, not an int")
        ) {
            try Page<EventItem>(body: Array(text.utf8))
        }
    }

    @Test func wordsOfEnumerationsAreListed() {
        let text = #"{"status":"fine"}"#
        #expect(
            throws: WireError(
                .invalidValue, path: "status",
                message: "Field 'status' must be one of 'ok', 'ready', 'standby', not 'fine'")
        ) {
            try Health(body: Array(text.utf8))
        }
    }

    @Test func timesMustHaveOneForm() {
        let text = #"{"machine":"m","version":1,"digest":"","createdAt":"2026-07-31"}"#
        #expect(
            throws: WireError(
                .invalidValue, path: "createdAt",
                message: "Field 'createdAt' must be a time such as 2026-07-31T09:30:00.000Z, not '2026-07-31'")
        ) {
            try MachineSummary(body: Array(text.utf8))
        }
    }

    @Test func aClientPassesOverFieldsThatItDoesNotKnow() throws {
        let text = #"{"items":[{"event":"a","accepted":true,"new":1}],"more":2}"#
        let page = try Page<EventItem>(body: Array(text.utf8), unknownFields: .ignored)
        #expect(page == Page(items: [EventItem(event: "a", accepted: true)]))
    }
}
