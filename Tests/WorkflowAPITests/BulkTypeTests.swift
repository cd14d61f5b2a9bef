import Testing
import WorkflowAPI
import WorkflowJSON

/// What operators ask of many instances, to the letter.
struct BulkTypeTests {
    private func mistake<Value: WireObject>(_ type: Value.Type, _ text: String) -> String {
        do {
            return "\(try Value(body: Array(text.utf8)))"
        } catch {
            return error.message
        }
    }

    @Test(arguments: [
        #"{"run":"a","action":{"verb":"retry"},"select":{"machine":"m","version":2,"failure":"x"},"expect":"0123af"}"#,
        #"{"action":{"verb":"cancel","actions":false},"select":{"all":true},"dryRun":true,"reason":"r"}"#,
        #"{"run":"a","action":{"verb":"set","set":{"n":1.0},"unset":["b"]},"select":{"status":"failed"},"reason":"r"}"#,
        #"{"run":"a","action":{"verb":"send","event":"go","data":[1]},"select":{"state":"a.b","olderThan":"2d"}}"#,
    ])
    func bulkRequestKeepsItsLetters(text: String) throws {
        #expect(JSONWriter.string(try BulkRequest(body: Array(text.utf8))) == text)
    }

    @Test(arguments: [
        (#"{"action":{"verb":"retry"},"select":{"all":true}}"#, "Field 'run' is missing: a run has a name"),
        (#"{"run":"a","action":{"verb":"skip"},"select":{"all":true}}"#, "Field 'reason' is missing"),
        (
            #"{"run":"a b","action":{"verb":"retry"},"select":{"all":true}}"#,
            "'a b' is no name of a run: 1 to 100 characters of A-Z a-z 0-9 _ . : @ -"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"all":true},"expect":"12345"}"#,
            "Field 'expect' must be 6 to 64 hexadecimal digits, as a dry run tells them"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{}}"#,
            "Field 'select' selects nothing: say which instances, or all of them with 'all'"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"all":true,"machine":"m"}}"#,
            "Field 'select.all' goes with nothing else"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"version":1}}"#,
            "Field 'select.version' needs 'machine'"
        ),
        (
            #"{"run":"a","action":{"verb":"retry","event":"go"},"select":{"all":true}}"#,
            "Unknown field 'action.event' (known here: verb, to)"
        ),
        (#"{"run":"a","action":{"verb":"send"},"select":{"all":true}}"#, "Field 'action.event' is missing"),
        (
            #"{"run":"a","action":{"verb":"set"},"reason":"r","select":{"all":true}}"#,
            "Say what to change: 'set' or 'unset'"
        ),
    ])
    func whatIsWrongIsNamed(text: String, message: String) {
        #expect(mistake(BulkRequest.self, text) == message)
    }
}
