import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the wire types of operators' questions about many instances.
struct CountTypeTests {
    private func roundTrip<Value: WireObject>(_ type: Value.Type, _ text: String) throws {
        let value = try Value(body: Array(text.utf8))
        #expect(JSONWriter.string(value) == text)
    }

    private static let failure =
        #"{"machine":"order","version":2,"failedVersion":1,"count":88,"since":"2026-07-31T09:30:00.000Z","#
        + #""sinceInMilliseconds":5,"instance":"o-1","event":"go","type":"expression-failed","state":"a","line":3,"#
        + #""expression":"1 / 0","message":"division by zero"}"#

    @Test func failuresKeepTheirLetters() throws {
        try roundTrip(
            FailureList.self,
            #"{"items":[{"machine":"order","version":2,"count":1,"since":"2026-07-31T09:30:00.000Z","#
                + #""sinceInMilliseconds":5,"instance":"o-1","event":"error.invoke.a","type":"invocation-failed","#
                + #""message":"x: y","error":{"message":"y","status":402,"type":"x"}}]}"#)
        try roundTrip(FailureList.self, #"{"items":[\#(Self.failure)],"others":3,"redacted":2}"#)
        try roundTrip(FailureList.self, #"{"items":[]}"#)
    }

    @Test func theTallyKeepsItsLetters() throws {
        try roundTrip(
            TallyItem.self,
            #"{"machine":"order","version":1,"semantics":1,"status":"running","configuration":["a.b","c"],"count":7}"#)
    }

    @Test func theStatusKeepsItsLetters() throws {
        try roundTrip(
            DaemonStatus.self,
            #"{"status":"storage-unavailable","reason":"full","version":"1","held":true,"behind":5,"waiting":1,"#
                + #""instances":[{"status":"failed","count":88}],"failures":[\#(Self.failure)],"otherFailures":2,"#
                + #""redactedFailures":3,"#
                + #""disk":{"file":1,"pages":4,"freePages":5,"log":2,"logHeld":6,"logErased":7,"free":3},"#
                + #""otherRuns":55,"#
                + #""lastBackupAt":"2026-07-31T09:30:00.000Z","#
                + #""lastVerificationAt":"2026-07-31T09:30:00.001Z"}"#)
        let queue =
            #"{"queue":"task:q","ready":1,"waiting":2,"leased":3,"running":4,"failed":5,"held":6,"answered":7,"#
            + #""workers":8,"settings":{"queue":"task:q","paused":false}}"#
        try roundTrip(
            DaemonStatus.self,
            #"{"status":"ready","version":"1","behind":5,"lateTimers":2,"waiting":0,"instances":[],"failures":[],"#
                + #""queues":[\#(queue)],"otherQueues":9}"#)
        try roundTrip(
            DaemonStatus.self, #"{"status":"ready","version":"1","waiting":0,"instances":[],"failures":[]}"#)
        // The status that an older daemon sends.
        try roundTrip(DaemonStatus.Disk.self, #"{"file":1,"log":2,"free":3}"#)
    }

    @Test func anInstanceSaysHowLongItIsWhereItIs() throws {
        try roundTrip(
            Instance.self,
            #"{"instance":"order-1","machine":"order","version":3,"status":"running","configuration":["a"],"#
                + #""context":{},"seq":5,"enteredAt":"2026-07-31T09:30:00.000Z","inState":7,"#
                + #""createdAt":"2026-07-31T09:30:00.000Z","updatedAt":"2026-07-31T09:30:00.001Z"}"#)
    }

    @Test func anInstanceSaysSinceWhenByWhomAndWhyItIsSuspended() throws {
        let suspended = #""suspended":{"at":"2026-07-31T09:30:00.000Z","actor":"uid:1(ada)","reason":"OPS-1"}"#
        let machine = #""machineSuspended":{"machine":"order","at":"2026-07-31T09:30:00.000Z"}"#
        let unsaid = #""suspended":{"at":"2026-07-31T09:30:00.000Z"}"#
        for fields in [suspended, machine, suspended + "," + machine, unsaid] {
            try roundTrip(
                Instance.self,
                #"{"instance":"order-1","machine":"order","version":3,"status":"suspended","configuration":["a"],"#
                    + #""context":{},\#(fields),"seq":5,"createdAt":"2026-07-31T09:30:00.000Z","#
                    + #""updatedAt":"2026-07-31T09:30:00.001Z"}"#)
        }
    }

    @Test func queriesAreReadAsTheyAreWritten() throws {
        let list = InstanceListParameters(
            prefix: "order-%", machines: ["order"], versions: [2, 3], statuses: [.failed], olderThan: "2d", ahead: true,
            failures: ["string + int"], condition: "context.a == 'b'", sort: .name, limit: 3)
        #expect(
            list.queryText
                == "?prefix=order-%25&machine=order&version=2&version=3&status=failed&olderThan=2d&ahead=true"
                + "&failure=string%20%2B%20int&where=context.a%20%3D%3D%20%27b%27&sort=name&limit=3")
        let query = [
            ("prefix", "order-%"), ("machine", "order"), ("version", "2"), ("version", "3"), ("status", "failed"),
            ("olderThan", "2d"), ("ahead", "true"), ("failure", "string + int"), ("where", "context.a == 'b'"),
            ("sort", "name"), ("limit", "3"),
        ]
        #expect(try InstanceListParameters(query: query.map { (name: $0.0, value: $0.1) }) == list)
        #expect(throws: WireError.self) { try InstanceListParameters(query: [("sort", "size")]) }
        for machines in [[], ["m", "n"]] {
            let query = machines.map { (name: "machine", value: $0) } + [(name: "version", value: "1")]
            #expect(throws: WireError.self) { try InstanceListParameters(query: query) }
        }
        #expect(throws: WireError.self) { try InstanceListParameters(query: [("where", "true"), ("sort", "age")]) }
        #expect(try FailureParameters(query: [("machine", "m")]) == FailureParameters(machines: ["m"]))
        #expect(FailureParameters(machines: ["m", "n"]).queryText == "?machine=m&machine=n")
        #expect(FailureParameters().queryText.isEmpty)
        #expect(try TallyParameters(query: [("machine", "m"), ("page", "p")]).queryText == "?machine=m&page=p")
        let two = [(name: "machine", value: "m"), (name: "machine", value: "n")]
        #expect(try TallyParameters(query: two) == TallyParameters(machines: ["m", "n"]))
        #expect(try FailureParameters(query: two) == FailureParameters(machines: ["m", "n"]))
        #expect(try TallyParameters(query: [("outdated", "true")]) == TallyParameters(outdated: true))
        #expect(TallyParameters(outdated: true).queryText == "?outdated=true")
    }
}
