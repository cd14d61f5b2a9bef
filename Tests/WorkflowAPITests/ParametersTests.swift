import Testing
import WorkflowAPI

struct ParametersTests {
    @Test func parametersAreWrittenAsTheyAreRead() throws {
        let history = HistoryParameters(limit: 5, after: 3, page: "a b", detail: true, wait: 60)
        #expect(history.queryText == "?limit=5&after=3&page=a%20b&detail=true&wait=60")
        #expect(
            try HistoryParameters(query: [
                ("limit", "5"), ("after", "3"), ("page", "a b"), ("detail", "true"), ("wait", "60"),
            ]) == history)
        #expect(HistoryParameters(cursor: "MS4w").queryText == "?cursor=MS4w")
        #expect(try HistoryParameters(query: [("cursor", "MS4w")]) == HistoryParameters(cursor: "MS4w"))
        let list = InstanceListParameters(machines: ["o"], statuses: [.done], states: ["a.b"], limit: 1, page: "p")
        #expect(list.queryText == "?machine=o&status=done&state=a.b&limit=1&page=p")
        #expect(SendParameters(dryRun: true).queryText == "?dryRun=true")
        #expect(SendParameters().queryText.isEmpty && PageParameters().queryText.isEmpty)
        #expect(try SendParameters(query: [("dryRun", "false")]) == SendParameters())
    }

    @Test func whatIsSelectedTwiceAddsUp() throws {
        let several = InstanceListParameters(
            machines: ["m", "n"], statuses: [.failed, .suspended], states: ["a", "b"], failures: ["x"])
        #expect(several.queryText == "?machine=m&machine=n&status=failed&status=suspended&state=a&state=b&failure=x")
        let query = [
            ("status", "failed"), ("state", "a"), ("status", "suspended"), ("state", "b"), ("state", "a"),
            ("machine", "m"), ("machine", "n"), ("failure", "x"),
        ]
        #expect(try InstanceListParameters(query: query.map { (name: $0.0, value: $0.1) }) == several)
        #expect(throws: WireError(.invalidParameter, path: "sort", message: "Parameter 'sort' stands twice")) {
            try InstanceListParameters(query: [("sort", "age"), ("sort", "name")])
        }
        let many = (0...20).map { (name: "state", value: "s\($0)") }
        #expect(throws: WireError.self) { try InstanceListParameters(query: many) }
    }

    @Test func streamParametersAreReadAsWritten() throws {
        let all = StreamParameters(
            machines: ["m", "n"], kinds: ["event"], events: ["pay.*", "go"], states: ["a.b"], after: "start")
        #expect(all.queryText == "?machine=m&machine=n&kind=event&event=pay.%2A&event=go&state=a.b&after=start")
        let query = [
            ("machine", "m"), ("machine", "n"), ("kind", "event"), ("event", "pay.*"), ("event", "go"),
            ("state", "a.b"), ("after", "start"),
        ]
        #expect(try StreamParameters(query: query, ofInstance: false) == all)
        #expect(throws: WireError.self) { try StreamParameters(query: query, ofInstance: true) }
        #expect(throws: WireError.self) {
            try StreamParameters(query: [("event", "go"), ("event", "pay*")], ofInstance: true)
        }
        #expect(throws: WireError.self) {
            try StreamParameters(query: [("after", "a"), ("after", "b")], ofInstance: true)
        }
    }

    @Test(arguments: [
        (
            "lmit", "5",
            "Unknown parameter 'lmit' (known here: limit, after, cursor, reverse, page, detail, wait); did you mean 'limit'?"
        ),
        ("limit", "0", "Parameter 'limit' must be a whole number from 1 to 500, not '0'"),
        ("limit", "501", "Parameter 'limit' must be a whole number from 1 to 500, not '501'"),
        ("after", "-1", "Parameter 'after' must be a whole number of at least 0, not '-1'"),
        ("after", "x", "Parameter 'after' must be a whole number of at least 0, not 'x'"),
        ("reverse", "yes", "Parameter 'reverse' must be true or false, not 'yes'"),
        ("wait", "61", "Parameter 'wait' must be a whole number from 0 to 60, not '61'"),
        ("page", "", "Parameter 'page' must not be empty"),
    ])
    func wrongParametersAreRefused(name: String, value: String, message: String) {
        #expect(throws: WireError(.invalidParameter, path: name, message: message)) {
            try HistoryParameters(query: [(name, value)])
        }
    }

    @Test func aCursorAndASeqSayTheSame() {
        #expect(
            throws: WireError(
                .invalidParameter, path: "cursor",
                message: "Parameter 'cursor' does not go with 'after': both say where")
        ) {
            try HistoryParameters(query: [("cursor", "x"), ("after", "1")])
        }
    }

    @Test func waitingBackwardsMakesNoSense() {
        #expect(
            throws: WireError(
                .invalidParameter, path: "wait",
                message: "Parameter 'wait' does not go with 'reverse': new rows come at the end")
        ) {
            try HistoryParameters(query: [("wait", "1"), ("reverse", "true")])
        }
    }

    @Test func aParameterMayStandOnce() {
        #expect(throws: WireError(.invalidParameter, path: "page", message: "Parameter 'page' stands twice")) {
            try PageParameters(query: [("page", "a"), ("page", "a")])
        }
    }

    @Test func statusesAreListed() {
        #expect(
            throws: WireError(
                .invalidParameter, path: "status",
                message: "Parameter 'status' must be one of 'running', 'done', 'failed', 'suspended', 'cancelled', "
                    + "not 'x'")
        ) {
            try InstanceListParameters(query: [("status", "x")])
        }
    }

    @Test func requestsWithoutParametersRefuseThem() {
        #expect(
            throws: WireError(
                .invalidParameter, path: "x", message: "Unknown parameter 'x' (none is known here)")
        ) {
            try NoParameters.check(query: [("x", "1")])
        }
    }
}
