import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the requests and answers of workers and operators about tasks, to the letter.
struct TaskTypeTests {
    private func roundTrip<Value: WireObject>(_ type: Value.Type, _ text: String) throws {
        #expect(JSONWriter.string(try Value(body: Array(text.utf8))) == text)
    }

    @Test(arguments: ["{}", #"{"max":100,"wait":60,"lease":5,"worker":"w"}"#])
    func leaseRequestKeepsItsLetters(text: String) throws { try roundTrip(LeaseRequest.self, text) }

    @Test func tasksKeepTheirLetters() throws {
        try roundTrip(LeasedTasks.self, #"{"tasks":[]}"#)
        try roundTrip(
            LeasedTasks.self,
            #"{"tasks":[{"task":"0a","instance":"o","id":"packing","attempt":2,"key":"k","input":{"a":1.0},"#
                + #""progress":7,"leasedUntil":"2026-07-31T09:30:00.000Z","deadline":"2026-07-31T09:31:00.000Z"}]}"#)
    }

    @Test(arguments: [
        #"{"message":"x"}"#,
        #"{"type":"a-b_c.1","message":"x","details":[1],"retry":false,"retryAfter":31536000}"#,
    ])
    func failRequestKeepsItsLetters(text: String) throws { try roundTrip(FailRequest.self, text) }

    @Test func signsOfLifeKeepTheirLetters() throws {
        try roundTrip(HeartbeatRequest.self, "{}")
        try roundTrip(HeartbeatRequest.self, #"{"progress":{"n":1}}"#)
        try roundTrip(Heartbeat.self, #"{"leasedUntil":"2026-07-31T09:30:00.000Z"}"#)
    }

    @Test func progressIsBounded() {
        let text = #"{"progress":"\#(String(repeating: "x", count: 16 << 10))"}"#
        #expect(
            throws: WireError(
                .invalidValue, path: "progress", message: "Field 'progress' must have 16384 bytes at most, not 16386")
        ) { try HeartbeatRequest(body: Array(text.utf8)) }
    }

    @Test func effectsKeepTheirLetters() throws {
        let time = "2026-07-31T09:30:00.000Z"
        let head =
            #"{"instance":"o","id":"packing","seq":3,"queue":"task:stock","state":"ready","priority":3,"#
            + #""due":"\#(time)","dueInMilliseconds":-1,"attempts":2"#
        try roundTrip(EffectItem.self, head + "}")
        try roundTrip(
            EffectItem.self,
            head + #","worker":"w","progress":1,"error":{"message":"m","type":"exit"},"failedAttempts":[{"attempt":1,"#
                + #""begun":"\#(time)","ended":"\#(time)","outcome":"exit","error":{"message":"m","type":"exit"}}]}"#)
    }

    @Test func theQueryOfEffectsIsReadAndWritten() throws {
        let parameters = EffectListParameters(
            instance: "o", queues: ["task:stock", "mail"], states: [.leased, .failed], limit: 5, page: "p")
        #expect(
            parameters.queryText
                == "?instance=o&queue=task%3Astock&queue=mail&state=leased&state=failed&limit=5&page=p")
        let items = [
            ("instance", "o"), ("queue", "task:stock"), ("queue", "mail"), ("state", "leased"), ("state", "failed"),
            ("limit", "5"), ("page", "p"),
        ]
        #expect(try EffectListParameters(query: items.map { (name: $0.0, value: $0.1) }) == parameters)
        #expect(EffectListParameters().queryText.isEmpty)
    }

    @Test(arguments: [
        #"{"action":"retry"}"#, #"{"action":"retry","seq":3,"newKey":true,"reason":"x"}"#,
        #"{"action":"skip","result":{"a":1.0}}"#, #"{"action":"cancel"}"#,
    ])
    func wordsOnEffectsKeepTheirLetters(text: String) throws { try roundTrip(EffectVerbRequest.self, text) }

    @Test(arguments: [
        "{}", #"{"concurrency":null,"rate":null,"paused":true}"#, #"{"paused":true,"new":true}"#,
        #"{"concurrency":10000,"rate":{"count":1,"milliseconds":86400000}}"#,
    ])
    func settingsOfQueuesKeepTheirLetters(text: String) throws { try roundTrip(QueueRequest.self, text) }

    @Test(arguments: [
        #"{"task":"t","complete":null}"#, #"{"task":"t","complete":[1]}"#, #"{"task":"t","fail":{"message":"m"}}"#,
        #"{"task":"t","heartbeat":{}}"#,
    ])
    func linesOfReportsKeepTheirLetters(text: String) throws { try roundTrip(TaskLine.self, text) }

    @Test(arguments: [
        ("stock", "task:stock"), ("exec:Zip", "exec:Zip"), ("http:h.example:443", "http:h.example:443"),
        ("http:[::1]:8080", "http:[::1]:8080"), ("http:nope", nil), ("http:h:0", nil), ("http:H:443", nil),
        ("http:h/x:1", nil), ("task:1", nil), ("exec:", nil), ("mail:x", nil), ("task:", nil), ("", nil), ("a b", nil),
        ("tå", nil),
    ])
    func aQueueHasAWholeName(text: String, name: String?) { #expect(QueueName.whole(text) == name) }
}
