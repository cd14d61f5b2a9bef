import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests operators' requests for instances, to the letter.
struct RepairTypeTests {
    private func roundTrip<Value: WireObject>(_ type: Value.Type, _ text: String) throws {
        #expect(JSONWriter.string(try Value(body: Array(text.utf8))) == text)
    }

    private func mistake<Value: WireObject>(_ type: Value.Type, _ text: String) -> String {
        do {
            return "\(try Value(body: Array(text.utf8)))"
        } catch {
            return error.message
        }
    }

    @Test(arguments: ["{}", #"{"reason":"r","seq":4,"dryRun":true}"#])
    func repairRequestKeepsItsLetters(text: String) throws { try roundTrip(RepairRequest.self, text) }

    @Test(arguments: [#"{"reason":"r"}"#, #"{"reason":"r","actions":false,"seq":4,"dryRun":false}"#])
    func cancelRequestKeepsItsLetters(text: String) throws { try roundTrip(CancelRequest.self, text) }

    @Test(arguments: [
        #"{"reason":"r","set":{"a.b":null,"n":1.0}}"#, #"{"reason":"r","unset":["a.b"],"seq":4,"dryRun":true}"#,
    ])
    func setRequestKeepsItsLetters(text: String) throws { try roundTrip(SetRequest.self, text) }

    @Test(arguments: [
        #"{"to":4,"reason":"r"}"#,
        #"{"to":4,"reason":"r","timers":"due","invocations":"answer","seq":9,"dryRun":true}"#,
    ])
    func resetRequestKeepsItsLetters(text: String) throws { try roundTrip(ResetRequest.self, text) }

    @Test(arguments: [#"{"reason":"r"}"#, #"{"reason":"r","invocations":"again","seq":9,"dryRun":true}"#])
    func undoRequestKeepsItsLetters(text: String) throws { try roundTrip(UndoRequest.self, text) }

    @Test func resetAnswerKeepsItsLetters() throws {
        try roundTrip(
            ResetAnswer.self,
            #"{"to":4,"timers":[{"event":"after.1h.a","due":"2026-07-31T09:30:00.123Z"}],"otherTimers":3,"#
                + #""invocations":[{"id":"pay","fate":"stays"},{"id":"ship","fate":"again"}]}"#)
    }

    @Test(arguments: [
        #"{"reason":"r"}"#,
        #"{"reason":"r","seqs":"3,7-9","paths":["a.b"],"name":"n","seq":4,"dryRun":true}"#,
    ])
    func redactRequestKeepsItsLetters(text: String) throws { try roundTrip(RedactRequest.self, text) }

    @Test(arguments: [
        #"{"instance":"i","seq":5,"status":"done","configuration":["a"],"seqs":"1-4","context":true}"#,
        #"{"instance":"i","seq":5,"status":"running","configuration":["a"],"paths":["a"],"renamed":true,"#
            + #""dryRun":true,"repeated":true}"#,
    ])
    func redactAnswerKeepsItsLetters(text: String) throws { try roundTrip(RedactAnswer.self, text) }

    @Test func whatIsMissingIsNamed() {
        #expect(mistake(RedactRequest.self, "{}") == "Field 'reason' is missing")
        #expect(mistake(ResetRequest.self, #"{"reason":"r"}"#) == "Field 'to' is missing")
        #expect(mistake(ResetRequest.self, #"{"to":1}"#) == "Field 'reason' is missing")
        #expect(
            mistake(ResetRequest.self, #"{"to":1,"reason":"r","timers":"later"}"#)
                == "Field 'timers' must be one of 'left', 'due', not 'later'")
        #expect(mistake(CancelRequest.self, "{}") == "Field 'reason' is missing")
        #expect(mistake(SetRequest.self, #"{"set":{"n":1}}"#) == "Field 'reason' is missing")
        #expect(mistake(SetRequest.self, #"{"reason":"r"}"#) == "Say what to change: 'set' or 'unset'")
        #expect(
            mistake(CancelRequest.self, #"{"reason":""}"#) == "Field 'reason' must have 1 to 1000 bytes, not 0")
        #expect(
            mistake(RepairRequest.self, #"{"reson":"x"}"#)
                == "Unknown field 'reson' (known here: reason, seq, dryRun); did you mean 'reason'?")
    }

    /// If rows are named, a path may lead into their data.
    @Test func pathsAreOfDataOrOfTheContext() {
        let paths = ["data.phone", "data[0]", "data", "dates", "context.data.a", "context.who", "context.data"]
        let named = RedactRequest(reason: "r", seqs: "2", paths: paths)
        #expect(named.dataPaths == ["data.phone", "data[0]"])
        #expect(named.contextPaths == ["data", "dates", "data.a", "context.who", "data"])
        let all = RedactRequest(reason: "r", paths: ["data.phone"])
        #expect(all.dataPaths == [] && all.contextPaths == ["data.phone"])
    }
}
