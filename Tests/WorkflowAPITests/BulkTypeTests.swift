import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests operators' requests for many instances, to the letter.
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
        #"{"run":"a","action":{"verb":"retry"},"select":{"prefix":"o-1","where":"context.n > 1"}}"#,
        #"{"run":"a","action":{"verb":"retry"},"select":{"status":["failed","suspended"],"failure":["x","y"]}}"#,
        #"{"run":"a","action":{"verb":"migrate","to":2,"map":{"a":"b"},"timers":"from-now"},"#
            + #""select":{"machine":"m","version":1},"reason":"r","allOrNothing":true}"#,
        #"{"run":"a","action":{"verb":"retry","to":2,"drop":["a"]},"select":{"machine":"m","version":1}}"#,
        #"{"run":"a","action":{"verb":"reset","to":4,"timers":"due","invocations":"again"},"select":{"all":true},"#
            + #""reason":"r"}"#,
        #"{"run":"a","action":{"verb":"undo","run":"b","invocations":"answer"},"reason":"r"}"#,
        #"{"run":"a","action":{"verb":"delete","cancelEffects":true},"select":{"all":true},"reason":"r"}"#,
        #"{"run":"a","action":{"verb":"redact","paths":["a.b"]},"select":{"all":true},"reason":"r"}"#,
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
            "Field 'select.version' needs one value of 'machine'"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"version":1,"machine":["m","n"]}}"#,
            "Field 'select.version' needs one value of 'machine'"
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
        (
            #"{"run":"a","action":{"verb":"undo","run":"b"},"reason":"r","select":{"all":true}}"#,
            "Field 'select' goes without 'undo': the run had its instances"
        ),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"all":true},"allOrNothing":true}"#,
            "Field 'allOrNothing' is for the verb 'migrate' only"
        ),
        (#"{"run":"a","action":{"verb":"migrate"},"reason":"r"}"#, "Field 'action.to' is missing"),
        (
            #"{"run":"a","action":{"verb":"retry"},"select":{"state":[]}}"#,
            "Field 'select.state' must have a value in its list"
        ),
    ])
    func whatIsWrongIsNamed(text: String, message: String) {
        #expect(mistake(BulkRequest.self, text) == message)
    }
}
