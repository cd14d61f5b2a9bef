import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests that every wire type is read, and written again to the letter: names, order and absent fields are the
/// contract.
struct WireTypeTests {
    private func roundTrip<Value: WireObject>(_ type: Value.Type, _ text: String) throws {
        let value = try Value(body: Array(text.utf8))
        #expect(JSONWriter.string(value) == text)
    }

    @Test(arguments: [
        #"{"machine":"order"}"#,
        #"{"machine":"order","version":2,"instance":"order-1","data":{"amount":1.0,"tags":[]}}"#,
    ])
    func startRequestKeepsItsLetters(text: String) throws {
        try roundTrip(StartRequest.self, text)
    }

    @Test(arguments: [
        #"{"event":"pay"}"#,
        #"{"event":"pay","data":{"card":"tok"},"expect":{"seq":4,"state":"review.legal"}}"#,
        #"{"event":"pay","data":7,"expect":{"seq":4}}"#,
        #"{"event":"pay","data":"seven","expect":{}}"#,
    ])
    func sendRequestKeepsItsLetters(text: String) throws {
        try roundTrip(SendRequest.self, text)
    }

    @Test(arguments: [
        #"{"instance":"a","event":"pay"}"#,
        #"{"instance":"a","event":"pay","data":{"card":"tok"},"expect":{"seq":4},"key":"k"}"#,
        #"{"instance":"a","start":{"machine":"order"}}"#,
        #"{"instance":"a","start":{"machine":"order","version":2,"data":{"amount":1.0}},"key":"k"}"#,
    ])
    func batchLineKeepsItsLetters(text: String) throws {
        try roundTrip(BatchLine.self, text)
    }

    /// A program that counts with the numbers of an answer stays within 64 bits (RFC 8259, section 6).
    @Test func aNumberThatNotEveryReaderKeepsIsRefused() throws {
        for (number, isRead) in [
            ("9007199254740991", true), ("-9007199254740991", true), ("9007199254740992", false),
            ("-9007199254740992", false), ("9223372036854775807", false), ("-9223372036854775808", false),
        ] {
            let text =
                "{\"done\":\(number),\"misfit\":\(number),\"refused\":\(number),\"changed\":\(number),\"failed\":0}"
            do throws(WireError) {
                let counts = try BulkCounts(body: Array(text.utf8), unknownFields: .ignored)
                #expect(isRead && counts.total / 4 == counts.done)
            } catch {
                #expect(!isRead, "\(number)")
                #expect(
                    error.message
                        == "Field 'done' must be from -9007199254740991 to 9007199254740991, not \(number)")
            }
        }
    }

    @Test func sendRequestTakesNullAsAbsent() throws {
        let text = #"{"event":"pay","data":null,"expect":null}"#
        #expect(try SendRequest(body: Array(text.utf8)) == SendRequest(event: "pay"))
    }

    @Test func tagsKeepTheirLetters() throws {
        try roundTrip(
            Instance.self,
            #"{"instance":"order-1","machine":"order","version":3,"status":"running","configuration":["a.b","c"],"#
                + #""tags":["busy"],"context":{},"seq":5,"createdAt":"2026-07-31T09:30:00.000Z","#
                + #""updatedAt":"2026-07-31T09:30:00.001Z"}"#)
        try roundTrip(
            SendAnswer.self,
            #"{"instance":"order-1","event":"pay","seq":5,"fromSeq":4,"from":["a"],"to":["b.c"],"status":"done","#
                + #""configuration":["b.c"],"tags":[],"context":{}}"#)
        for tags in ["", #","tags":["busy"]"#] {
            for machine in ["", #","machineSuspended":{"machine":"m","at":"2026-07-31T09:30:00.000Z"}"#] {
                try roundTrip(
                    AcceptedEvents.self,
                    #"{"items":[{"event":"pay","accepted":true}]"# + tags + #","status":"running""# + machine + "}")
            }
        }
    }

    @Test func instanceKeepsItsLetters() throws {
        try roundTrip(
            Instance.self,
            #"{"instance":"order-1","machine":"order","version":3,"status":"running","configuration":["a.b","c"],"#
                + #""context":{"amount":250},"seq":5,"createdAt":"2026-07-31T09:30:00.000Z","#
                + #""updatedAt":"2026-07-31T09:30:00.001Z"}"#)
    }

    @Test(arguments: [
        "", #","exited":["a"],"entered":["b","b.c"],"dryRun":true"#,
        #","dryRun":true,"begun":[{"id":"paying","queue":"task:charge"}],"cancelled":["packing"]"#,
        #","dryRun":true,"failure":{"event":"e","type":"livelock","detail":"d","seq":5,"#
            + #""at":"2026-07-31T09:30:00.000Z","message":"m"}"#,
    ])
    func sendAnswerKeepsItsLetters(detail: String) throws {
        try roundTrip(
            SendAnswer.self,
            #"{"instance":"order-1","event":"pay","seq":5,"fromSeq":4,"from":["a"],"to":["b.c"],"status":"done","#
                + #""configuration":["b.c"],"context":{}"# + detail + "}")
    }

    @Test func streamItemKeepsItsLetters() throws {
        try roundTrip(
            StreamItem.self,
            #"{"instance":"o","machine":"m","version":3,"seq":2,"at":"2026-07-31T09:30:00.000Z","kind":"failed","#
                + #""event":"pay","from":["a"],"to":["b"],"note":{},"retry":true,"cursor":"c1"}"#)
    }

    @Test(arguments: [
        (#""#, #""#), (#""data":{"x":1},"#, #""actor":"uid:0","key":"k1","#),
    ])
    func historyItemKeepsItsLetters(data: String, sender: String) throws {
        try roundTrip(
            HistoryItem.self,
            #"{"seq":2,"at":"2026-07-31T09:30:00.000Z","kind":"event","event":"pay","# + data
                + #""from":["a"],"to":["b"],"# + sender + #""cursor":"c1"}"#)
    }

    @Test func historyItemWithDetailKeepsItsLetters() throws {
        try roundTrip(
            HistoryItem.self,
            #"{"seq":1,"at":"2026-07-31T09:30:00.000Z","kind":"started","event":"init","from":[],"to":["b"],"#
                + #""cursor":"c1","exited":[],"entered":["b"]}"#)
    }

    @Test(arguments: ["true", "false", "null"])
    func eventItemKeepsItsLetters(accepted: String) throws {
        try roundTrip(EventItem.self, #"{"event":"pay","accepted":"# + accepted + "}")
    }

    @Test(arguments: ["", #","warnings":[]"#, #","warnings":[],"differences":["a"]"#, #","source":"id: order\n""#])
    func machineSummaryKeepsItsLetters(rest: String) throws {
        try roundTrip(
            MachineSummary.self,
            #"{"machine":"order","version":1,"semantics":2,"digest":"00ff","createdAt":"2026-07-31T09:30:00.000Z""#
                + rest + "}")
    }

    /// A daemon of 0.1 has one semantics only.
    @Test func whoDoesNotTellItsSemanticsHasTheFirst() throws {
        let machine = #"{"machine":"order","version":1,"digest":"00ff","createdAt":"2026-07-31T09:30:00.000Z"}"#
        #expect(try MachineSummary(body: Array(machine.utf8)).semantics == 1)
        let item = #"{"machine":"order","version":1,"status":"running","configuration":["a"],"count":1}"#
        #expect(try TallyItem(body: Array(item.utf8)).semantics == 1)
    }

    @Test(arguments: ["", #","nextPage":"abc""#])
    func pageKeepsItsLetters(rest: String) throws {
        try roundTrip(Page<EventItem>.self, #"{"items":[{"event":"pay","accepted":true}]"# + rest + "}")
    }

    @Test(arguments: [#"{"status":"ok"}"#, #"{"status":"ready","version":"0.1.0"}"#])
    func healthKeepsItsLetters(text: String) throws {
        try roundTrip(Health.self, text)
    }

    @Test func backupLinesKeepTheirLetters() throws {
        try roundTrip(BackupLine.self, #"{"phase":"checking","done":1,"total":2}"#)
        try roundTrip(
            BackupLine.self,
            #"{"backup":"00ff","bytes":4096,"digest":"ab","generation":1,"instances":2,"events":3,"#
                + #""lastAt":"2026-07-31T09:30:00.000Z"}"#)
    }

    @Test func problemKeepsItsLetters() throws {
        try roundTrip(
            Problem.self,
            #"{"type":"event-not-accepted","title":"Event not accepted in this state","status":409,"#
                + #""detail":"no","instance":"order-1","machine":"order","state":["packing"],"seq":5,"#
                + #""accepted":["packed"]}"#)
        try roundTrip(
            Problem.self,
            #"{"type":"invalid-definition","title":"Definition has mistakes","status":422,"detail":"no","#
                + #""diagnostics":[{"severity":"error","line":3,"column":7,"message":"m"}],"suggestion":"x"}"#)
        try roundTrip(
            Problem.self,
            #"{"type":"generation-changed","title":"The database was restored","status":410,"detail":"no","#
                + #""parted":{"generation":2,"cursor":"c","at":"2026-07-31T09:30:00.000Z","seq":7}}"#)
    }
}
