import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests an operator's actions on an instance, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct RepairRoutesTests {
    private static let machine = """
        id: pot
        initial: idle
        context: {n: 0}
        states:
          idle:
            on: {poke: {actions: {send: count}}, count: {actions: {assign: {n: 1 / context.n}}}}
        """

    private static func host() async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(machine, syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "pot", instance: "p"))
        return host
    }

    private static func ask(_ verb: String, _ body: String, _ headers: [(String, String)] = []) -> RawRequest {
        RawRequest(
            "POST", "/v1/instances/p/\(verb)", headers: [("Content-Type", "application/json")] + headers,
            body: Array(body.utf8))
    }

    private static func told(_ host: ServerHost, _ request: RawRequest) async throws -> String {
        let answer = try await host.answers(to: [request])[0]
        let object = try answer.object
        let text = object["detail"]?.string ?? object["status"]?.string ?? ""
        return "\(answer.status) \(text)"
    }

    @Test func aRepairIsAnsweredAsAnEventIs() async throws {
        let host = try await Self.host()
        let key = [("Idempotency-Key", "k"), ("If-Match", "\"1\"")]
        let request = Self.ask("set", #"{"reason": "r", "set": {"n": 2}}"#, key)
        let first = try await host.answers(to: [request])[0]
        #expect(first.status == 200 && first.headers["etag"] == "\"2\"")
        #expect(try first.object["context"] == ["n": 2] && first.object["event"] == "set")
        let again = try await host.answers(to: [request])[0]
        #expect(again.headers["idempotent-replayed"] == "true" && again.body == first.body)
        let minimal = Self.ask("suspend", "{}", [("Prefer", "return=minimal")])
        let answer = try await host.answers(to: [minimal])[0]
        #expect(try answer.object["context"] == nil && answer.object["status"] == "suspended")
        #expect(try await Self.told(host, Self.ask("resume", #"{"dryRun": true}"#)) == "200 running")
        #expect(try await Self.told(host, Self.ask("resume", "{}")) == "200 running")
    }

    /// A dry run of any verb has the microsteps that would be taken, with those of eventless transitions.
    @Test func aTrialHasItsMicrosteps() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(
            """
            id: way
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {target: b, actions: {assign: {n: 1 / context.n}}}}}
              b: {always: c}
              c: {}
            """, syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "way", instance: "p"))
        func taken(_ request: RawRequest) async throws -> [[JSONValue?]]? {
            let steps = try await host.answers(to: [request])[0].object["microsteps"]
            return steps?.elements.map { step in
                [step.object?["event"], step.object?["transitions"]?.elements.first?.object?["line"]]
            }
        }
        let fixed = Self.ask("set", #"{"reason": "r", "set": {"n": 1}}"#)
        _ = try await host.answers(to: [fixed])
        let send = "/v1/instances/p/events"
        #expect(
            try await taken(.post(send + "?dryRun=true", #"{"event": "go"}"#)) == [["go", .int(5)], [nil, .int(6)]])
        #expect(try await taken(Self.ask("suspend", #"{"dryRun": true}"#)) == [["suspend", nil]])
        let minimal = [("Prefer", "return=minimal")]
        #expect(try await taken(Self.ask("suspend", #"{"dryRun": true}"#, minimal)) == nil)
        #expect(try await taken(.post(send, #"{"event": "go"}"#)) == nil)
    }

    /// A dry run over many steps that read and write large values has a bounded answer.
    @Test func theStepsOfATrialTakeABoundedRoom() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(
            """
            id: way
            initial: a
            context: {n: 0, blob: '', copy: ''}
            states:
              a: {on: {go: {target: b, actions: {assign: {blob: event.data}}}}}
              b:
                always:
                  guard: size(context.blob) > 0 && context.n < 30
                  actions: {assign: {n: context.n + 1, copy: context.blob}}
            """, syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "way", instance: "p"))
        let blob = String(repeating: "x", count: 100_000)
        let answer = try await host.answers(
            to: [.post("/v1/instances/p/events?dryRun=true&explain=true", #"{"event": "go", "data": "\#(blob)"}"#)])[0]
        #expect(try answer.object["microsteps"]?.elements.count == 31)
        #expect(try answer.object["candidates"]?.elements.count == 32)
        // The context has the value twice, the read values at most 256 KiB.
        #expect(answer.body.count < 600_000, "\(answer.body.count)")
    }

    /// A dry run says why the instance would fail: the same as the instance does afterwards.
    @Test(arguments: [false, true]) func aTrialSaysWhyItWouldFail(isRetry: Bool) async throws {
        let host = try await Self.host()
        let send = RawRequest.post("/v1/instances/p/events", #"{"event": "poke"}"#)
        if isRetry { _ = try await host.answers(to: [send]) }
        let trial =
            isRetry
            ? Self.ask("retry", #"{"dryRun": true}"#)
            : RawRequest.post("/v1/instances/p/events?dryRun=true", #"{"event": "poke"}"#)
        let answer = try await host.answers(to: [trial])[0]
        #expect(try answer.object["status"] == "failed" && answer.object["dryRun"] == true)
        let real = isRetry ? Self.ask("retry", "{}") : send
        #expect(try await host.answers(to: [real])[0].object["failure"] == nil)
        let instance = try await host.answers(to: [.get("/v1/instances/p")])[0].object
        var (expected, found) = (try #require(answer.object["failure"]?.object), instance["failure"]?.object)
        #expect(found?["line"] == 6 && expected["at"] != nil)
        expected["at"] = nil
        found?["at"] = nil
        #expect(found == expected)
    }

    @Test func aRehearsalSaysWhyInstancesWouldFail() async throws {
        let host = try await Self.host()
        let body = #"{"action": {"verb": "send", "event": "poke"}, "select": {"machine": ["pot"]}, "dryRun": true}"#
        let answer = try await host.answers(to: [.post("/v1/bulk", body)])[0]
        #expect(answer.text.contains(#""message":"it would fail: division by zero""#), "\(answer.text)")
    }

    @Test func theEventsOfASuspendedMachineSaySo() async throws {
        let host = try await Self.host()
        let events = RawRequest.get("/v1/instances/p/events")
        #expect(try await host.answers(to: [events])[0].object["machineSuspended"] == nil)
        _ = try await host.answers(to: [.post("/v1/machines/pot/suspend", #"{"reason": "OPS-14"}"#)])
        let told = try await host.answers(to: [events])[0].object["machineSuspended"]?.object
        #expect(told?["machine"] == "pot" && told?["reason"] == "OPS-14")
        _ = try await host.answers(to: [Self.ask("cancel", #"{"reason": "r"}"#)])
        #expect(try await host.answers(to: [events])[0].object["machineSuspended"] == nil)
    }

    @Test func whoIsSuspendedSaysSinceWhenByWhomAndWhy() async throws {
        let host = try await Self.host()
        _ = try await host.engine.start(StartCommand(machine: "pot", instance: "q"))
        _ = try await host.answers(to: [Self.ask("suspend", #"{"reason": "OPS-1"}"#)])
        let shown = try await Self.shown(host, "p")
        let suspended = shown["suspended"]?.object
        #expect(suspended?["reason"] == "OPS-1" && suspended?["at"] == shown["updatedAt"])
        #expect(suspended?["actor"]?.string?.hasPrefix("uid:") == true && shown["machineSuspended"] == nil)
        let listed = try await Self.listed(host)
        #expect(listed["p"]?["suspended"] == shown["suspended"])
        #expect(listed["q"] != nil && listed["q"]?["suspended"] == nil)
        #expect(try await Self.shown(host, "p?seq=2")["suspended"] == shown["suspended"])
        #expect(try await Self.shown(host, "p?seq=1")["suspended"] == nil)
        try await host.stop()
    }

    /// A finished instance does not report it, because its machine does not matter any more.
    @Test func whoseMachineIsSuspendedSaysSo() async throws {
        let host = try await Self.host()
        for name in ["q", "r"] { _ = try await host.engine.start(StartCommand(machine: "pot", instance: name)) }
        _ = try await host.engine.repair(RepairCommand(instance: "p", .suspend, reason: "OPS-1"))
        _ = try await host.engine.suspend(machine: "pot", reason: "it leaks", by: .test)
        _ = try await host.engine.repair(RepairCommand(instance: "r", .cancel(runsActions: true), reason: "OPS-2"))
        let listed = try await Self.listed(host)
        for name in ["p", "q"] {
            let machine = try await Self.shown(host, name)["machineSuspended"]
            #expect(machine?.object?["machine"] == "pot" && machine?.object?["reason"] == "it leaks")
            #expect(machine?.object?["at"] != nil && listed[name]?["machineSuspended"] == machine)
        }
        #expect(listed["p"]?["suspended"]?.object?["reason"] == "OPS-1" && listed["q"]?["suspended"] == nil)
        #expect(listed["r"]?["status"] == "cancelled" && listed["r"]?["machineSuspended"] == nil)
        // The machine was not suspended then.
        #expect(try await Self.shown(host, "q?seq=1")["machineSuspended"] == nil)
        try await host.stop()
    }

    private static func shown(_ host: ServerHost, _ target: String) async throws -> JSONObject {
        try await host.answers(to: [.get("/v1/instances/" + target)])[0].object
    }

    /// Returns all instances, by name.
    private static func listed(_ host: ServerHost) async throws -> [String: JSONObject] {
        let answer = try await host.answers(to: [.get("/v1/instances")])[0]
        guard case .array(let items)? = try answer.object["items"] else { return [:] }
        return Dictionary(items.compactMap(\.object).map { ($0["instance"]?.string ?? "", $0) }) { first, _ in first }
    }

    /// An error of the request as a whole has a status, as it has without `dryRun`.
    @Test func aRehearsalOfAMissingMachineIsNotFound() async throws {
        let host = try await Self.host()
        for dryRun in ["true", "false"] {
            let body =
                #"{"run":"r","action":{"verb":"retry"},"select":{"machine":"jab"},"reason":"r","dryRun":\#(dryRun)}"#
            let headers = [("Content-Type", "application/json")]
            let request = RawRequest("POST", "/v1/bulk", headers: headers, body: Array(body.utf8))
            let answer = try await host.answers(to: [request])[0]
            #expect(answer.status == 404)
            #expect(try answer.object["type"]?.string?.hasSuffix("machine-not-found") == true)
        }
    }

    @Test func onlyAnUndoTellsWhoHasGoneOn() async throws {
        let host = try await Self.host()
        func begin(_ body: String) async throws -> String {
            let headers = [("Content-Type", "application/json")]
            let request = RawRequest("POST", "/v1/bulk", headers: headers, body: Array(body.utf8))
            return try await host.answers(to: [request])[0].text
        }
        func changed(_ run: String) async throws -> RawAnswer {
            try await host.answers(to: [RawRequest("GET", "/v1/bulk/\(run)/instances?outcome=changed")])[0]
        }
        let set = #"{"run":"r","action":{"verb":"set","set":{"n":2}},"select":{"all":true},"reason":"r"}"#
        #expect(try await begin(set).contains(#""state":"done""#))
        _ = try await host.engine.repair(
            RepairCommand(instance: "p", .set(ContextChange(set: ["n": 3], unset: [])), reason: "r"))
        let undo = #"{"run":"u","action":{"verb":"undo","run":"r"},"reason":"r"}"#
        #expect(try await begin(undo).contains(#""state":"done""#))
        #expect(
            try await changed("u").text.hasPrefix(
                #"{"outcome":"changed","instance":"p","message":"it has gone on since the run (seq 2, now 3)"}"#))
        let refused = try await changed("r")
        #expect(refused.status == 400)
        #expect(try refused.object["detail"] == "Parameter 'outcome': 'changed' is for an undo")
    }

    @Test func aResetTellsWhatBecomesOfWhatIsArmed() async throws {
        let host = try await Self.host()
        _ = try await host.engine.repair(
            RepairCommand(instance: "p", .set(ContextChange(set: ["n": 2], unset: [])), reason: "r"))
        let request = Self.ask(
            "reset", #"{"to": 1, "reason": "r"}"#, [("Idempotency-Key", "k"), ("If-Match", "\"2\"")])
        let first = try await host.answers(to: [request])[0]
        #expect(first.status == 200 && first.headers["etag"] == "\"3\"")
        #expect(try first.object["reset"] == ["to": 1, "timers": [], "invocations": []])
        #expect(try first.object["context"] == ["n": 0] && first.object["event"] == "reset")
        let again = try await host.answers(to: [request])[0]
        #expect(again.headers["idempotent-replayed"] == "true" && again.body == first.body)
    }

    @Test func anUndoTellsTheVersions() async throws {
        let host = try await Self.host()
        _ = try await host.engine.apply(Self.machine + "\n  more: {}", syntax: .yaml)
        #expect(try await Self.told(host, Self.ask("migrate", #"{"to": 2, "reason": "r"}"#)) == "200 running")
        let undone = try await host.answers(to: [Self.ask("undo", #"{"reason": "r"}"#)])[0]
        #expect(
            try undone.object["reset"]
                == ["to": 1, "timers": [], "invocations": [], "fromVersion": 2, "toVersion": 1])
    }

    @Test func whatIsWrongIsTold() async throws {
        let host = try await Self.host()
        let cases: [(RawRequest, String)] = [
            (Self.ask("cancel", "{}"), "400 Field 'reason' is missing"),
            (Self.ask("skip", "{}"), "400 Field 'reason' is missing"),
            (Self.ask("set", #"{"reason": "r"}"#), "400 Say what to change: 'set' or 'unset'"),
            (
                Self.ask("set", #"{"reason": "r", "set": {"m": 1}}"#),
                "422 p: The context of 'pot' has no key 'm'"
            ),
            (Self.ask("skip", #"{"reason": "r"}"#), "409 p, in state 'idle' (seq 1), is running and needs no skip"),
            (Self.ask("reset", #"{"to": 1}"#), "400 Field 'reason' is missing"),
            (Self.ask("reset", #"{"to": 0, "reason": "r"}"#), "404 Instance 'p' has no seq 0 (latest is 1)"),
            (
                Self.ask("undo", #"{"reason": "r"}"#),
                "409 The last that happened to 'p' is 'init' (seq 1, started), and no migration: only that can be undone"
            ),
            (Self.ask("resume", "{}"), "409 p, in state 'idle' (seq 1), is running and not suspended"),
            (Self.ask("suspend", #"{"seq": 7}"#), "412 p, in state 'idle' (seq 1), is not at seq 7"),
            (Self.ask("suspend", #"{"seq": 7}"#, [("If-Match", "\"1\"")]), "400 'seq' and If-Match do not agree"),
            (
                Self.ask("resume", #"{"actions": true}"#),
                "400 Unknown field 'actions' (known here: reason, seq, dryRun)"
            ),
        ]
        for (request, expected) in cases {
            let told = try await Self.told(host, request)
            #expect(told == expected)
        }
        let large = #"{"reason": "r", "set": {"n": ""# + String(repeating: "x", count: 2 << 20) + #""}}"#
        #expect(try await Self.told(host, Self.ask("set", large)).hasPrefix("413 "))
        #expect(try await host.engine.instance(named: "p").record.seq.rawValue == 1)
    }
}
