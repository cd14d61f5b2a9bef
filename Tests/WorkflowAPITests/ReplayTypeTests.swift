import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests that the lines of verifications and replays are read, and written again to the letter.
struct ReplayTypeTests {
    private func roundTrip<Value: WireObject>(_ type: Value.Type, _ text: String) throws {
        #expect(JSONWriter.string(try Value(body: Array(text.utf8))) == text)
    }

    @Test(arguments: [
        #"{"progress":{"done":5,"total":10}}"#,
        #"{"finding":{"instance":"order-7","seq":5,"detail":"the digest does not fit what the row says"}}"#,
        #"{"finding":{"detail":"position 7: the row belongs to an instance 9 that is not there"}}"#,
        #"{"counts":{"instances":2,"events":9,"snapshots":0,"timers":1,"keys":3,"machines":1,"chainOnly":0,"#
            + #""differences":1,"seconds":0.25}}"#,
    ])
    func verificationLineKeepsItsLetters(text: String) throws {
        try roundTrip(VerificationLine.self, text)
    }

    @Test(arguments: [
        #"{"progress":{"done":5,"total":10}}"#,
        #"{"outcome":{"instance":"order-7","result":"same"}}"#,
        #"{"outcome":{"instance":"order-7","result":"differs","seq":4,"event":"pay","was":["a"],"wouldBe":["b","c"],"#
            + #""detail":"it leads to another state"}}"#,
        #"{"outcome":{"instance":"order-7","result":"refused","seq":4,"event":"pay","detail":"no"}}"#,
        #"{"counts":{"same":1,"differs":2,"refused":0,"events":9,"groups":[{"event":"pay","differs":2,"refused":0}],"#
            + #""seconds":1.0}}"#,
    ])
    func backtestLineKeepsItsLetters(text: String) throws {
        try roundTrip(BacktestLine.self, text)
    }

    @Test(arguments: [
        "",
        #","output":7,"microsteps":[{"event":"pay","transitions":[{"source":"a","targets":["b"],"line":3}],"#
            + #""exited":["a"],"entered":["b"],"#
            + #""actions":[{"state":"b","line":4,"text":"log \"x\"","exited":1,"entered":1}]}],"version":2"#,
    ])
    func replayStepKeepsItsLetters(rest: String) throws {
        try roundTrip(
            ReplayStep.self,
            #"{"seq":2,"at":"2026-07-31T09:30:00.000Z","kind":"event","event":"pay","data":{"x":1},"status":"done","#
                + #""configuration":["b"],"context":{}"# + rest + "}")
    }

    @Test func aLineThatIsNothingIsRefused() {
        #expect {
            try VerificationLine(body: Array("{}".utf8))
        } throws: {
            ($0 as? WireError)?.message == "Field 'counts' is missing"
        }
    }

    @Test func parametersAreReadAndWritten() throws {
        #expect(try ReplayParameters(query: [("to", "5"), ("trace", "true")]) == ReplayParameters(to: 5, trace: true))
        #expect(ReplayParameters(to: 5, trace: true).queryText == "?to=5&trace=true")
        let one = ReplayParameters(from: 4, to: 4, trace: true)
        #expect(try ReplayParameters(query: [("from", "4"), ("to", "4"), ("trace", "true")]) == one)
        #expect(one.queryText == "?from=4&to=4&trace=true")
        #expect {
            try ReplayParameters(query: [("from", "5"), ("to", "4")])
        } throws: {
            ($0 as? WireError)?.message == "Parameter 'from' is 5, and 'to' is only 4"
        }
        #expect(try BacktestParameters(query: [("version", "2")]).queryText == "?version=2")
        let both = [(name: "version", value: "2"), (name: "version", value: "1")]
        #expect(try BacktestParameters(query: both).queryText == "?version=2&version=1")
        #expect(try ShowParameters(query: [("seq", "2")]).queryText == "?seq=2")
        #expect(ShowParameters().queryText == "")
        #expect {
            try ShowParameters(query: [("seq", "0")])
        } throws: {
            ($0 as? WireError)?.message == "Parameter 'seq' must be a whole number of at least 1, not '0'"
        }
    }
}
