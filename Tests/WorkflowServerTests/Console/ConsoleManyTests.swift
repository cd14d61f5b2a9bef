import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowJSON
import WorkflowServer

/// Tests that a run over many instances goes from the list over its rehearsal to its begin, and does what was
/// rehearsed.
@Suite(.timeLimit(.minutes(20))) struct ConsoleManyTests {
    /// A machine whose event fails until a value of the context is set.
    private static let parcel = """
        {"id": "parcel", "initial": "packing", "context": {"perKilo": 0, "price": 0}, "states": {
          "packing": {"on": {"price": {"actions": {"send": "count"}},
            "count": {"target": "shipped", "actions": {"assign": {"price": "60 / context.perKilo"}}},
            "note": {}}}, "shipped": {}}}
        """

    /// A host with failed parcels p-1, p-2, …, and the session of a person.
    private struct Desk {
        let host: ConsoleHost
        let cookie: String
        let headers: [(name: String, value: String)]

        init(failed count: Int, _ roles: [Role] = [.operate]) async throws {
            host = try await ConsoleHost()
            headers = [("Authorization", "Bearer \(try host.token("admin", [.admin]))")]
            cookie = try await host.session(host.token("person", roles))
            _ = try await ask("/v1/machines", ConsoleManyTests.parcel)
            for (part, then) in [(#""start": {"machine": "parcel"}"#, "start"), (#""event": "price""#, "price")] {
                let lines = (1...max(1, count)).map {
                    "{\"instance\": \"p-\($0)\", \(part), \"key\": \"\(then)-\($0)\"}\n"
                }
                _ = try await ask("/v1/events", lines.joined(), as: "application/x-ndjson")
            }
        }

        /// Asks the API as the admin.
        func ask(_ target: String, _ body: String, as type: String = "application/json") async throws -> RawAnswer {
            let answer = try await host.server.answer(to: .post(target, body, as: type, headers: headers))
            try #require((200..<300).contains(answer.status), "\(target) \(answer.text)")
            return answer
        }

        func get(_ target: String) async throws -> RawAnswer { try await host.get(target, cookie) }

        /// Sends the form around the list.
        func choose(
            _ verb: String, _ query: String = "?machine=parcel&status=failed", ticked: [String]? = nil
        ) async throws -> RawAnswer {
            var form = try PageForm("/console/act/many/choose", in: await get("/console/instances\(query)"))
            form["verb"] = verb
            form[ticked == nil ? "matching" : "ticked"] = "yes"
            form.tick("instance", ticked ?? [])
            return try await form.send(to: host, cookie)
        }

        func send(_ form: PageForm) async throws -> RawAnswer { try await form.send(to: host, cookie) }

        /// Waits for the end of the run to which an answer leads, and returns its page.
        func done(_ answer: RawAnswer) async throws -> RawAnswer {
            let target = try #require(answer.headers["location"], "\(answer.status) \(answer.text)")
            #expect(answer.status == 303)
            var page = try await get(target)
            try await eventually("the run ends", within: .seconds(60)) {
                page = try await get(target)
                return page.text.contains("<dd>done</dd>")
            }
            return page
        }
    }

    private func begin(_ page: RawAnswer) throws -> PageForm { try PageForm("/console/act/many/begin", in: page) }

    @Test func aThousandFailedInstancesAreMendedThroughForms() async throws {
        let desk = try await Desk(failed: 1_000)
        // The values first.
        var fields = try PageForm("/console/act/many/rehearse", in: await desk.choose("set"))
        fields["set"] = "perKilo=2"
        var set = try begin(await desk.send(fields))
        (set["count"], set["reason"]) = ("1,000", "OPS-1")
        #expect(try await desk.done(await desk.send(set)).text.contains("1,000 set"))
        // A rehearsal changes nothing.
        let rehearsal = try await desk.choose("retry")
        #expect(rehearsal.status == 200)
        for words in [
            "1,000 would go on", "wfctl retry --machine parcel --status failed --dry-run", "<code>shipped</code>",
            "More than 100 are meant: type 1,000.",
        ] { #expect(rehearsal.text.contains(words), "\(words)") }
        #expect(try await desk.get("/console/instances?status=failed").text.contains("Next page"))
        var retry = try begin(rehearsal)
        let run = try #require(retry["run"])
        #expect(run.wholeMatch(of: /retry-20[0-9]{6}-[0-9]{4}-[0-9a-f]{4}/) != nil, "\(run)")
        #expect(retry.buttons == ["Do it: retry 1,000"])
        #expect(rehearsal.text.contains("--run \(run) --expect \(retry["expect"]?.prefix(6) ?? "")"))
        retry["count"] = "1000"
        let answer = try await desk.send(retry)
        #expect(answer.headers["location"] == "/console/runs/\(run)?done=many")
        #expect(try await desk.done(answer).text.contains("1,000 went on"))
        #expect(try await desk.get("/console/instances?status=failed").text.contains("No instance is like that"))
        // A double click, or a reload, is the same run.
        let again = try await desk.send(retry)
        #expect(again.status == 303 && again.headers["location"] == "/console/runs/\(run)?done=many")
        try await desk.host.server.stop()
    }

    @Test func theCountIsTypedAndTheRunIsThatOfTheRehearsal() async throws {
        let desk = try await Desk(failed: 101)
        var skip = try begin(await desk.choose("skip"))
        for (count, words) in [(nil, "is not typed: 101 were rehearsed"), ("100", "is another: 101 were rehearsed")] {
            (skip["count"], skip["reason"], skip["run"]) = (count, "a <b>reason</b>", "mine")
            let refused = try await desk.send(skip)
            #expect(refused.status == 400 && refused.text.contains(words), "\(refused.text)")
            // Nothing that was typed is lost, and the rehearsal is still there.
            #expect(refused.text.contains("101 would go on") && !refused.text.contains("Rehearsed before"))
            let again = try begin(refused)
            #expect(again["reason"] == "a <b>reason</b>" && again["run"] == "mine" && again["count"] == count ?? "")
            #expect(!refused.text.contains("<b>reason"))
            #expect(refused.text.contains("Groups of instances"))
        }
        skip["count"] = "101"
        skip["reason"] = nil
        let withoutReason = try await desk.send(skip)
        #expect(withoutReason.status == 400 && withoutReason.text.contains("Field &#39;reason&#39; is missing"))
        (skip["reason"], skip["run"]) = ("OPS-2", "no name")
        let misnamed = try await desk.send(skip)
        #expect(misnamed.status == 400 && misnamed.text.contains("is no name of a run"))
        // Something moves: nothing is done, what moved is counted, and the new rehearsal is there.
        _ = try await desk.ask("/v1/instances/p-7/cancel", #"{"reason": "it moved"}"#)
        skip["run"] = "mine"
        let moved = try await desk.send(skip)
        #expect(moved.status == 412)
        for words in ["nothing was done", "Rehearsed before", "101 would go on", "Rehearsed now", "100 would go on"] {
            #expect(moved.text.contains(words), "\(words)")
        }
        #expect(try await desk.get("/console/runs/mine").status == 404)
        // 100 need no typed count.
        let second = try begin(moved)
        #expect(second["count"] == nil && second["reason"] == "OPS-2" && second["run"] == "mine")
        #expect(try await desk.done(await desk.send(second)).text.contains("100 went on"))
        // Another request does not get the same name.
        var third = try begin(await desk.choose("suspend", "?machine=parcel"))
        (third["run"], third["count"]) = ("mine", "101")
        let used = try await desk.send(third)
        #expect(used.status == 422 && used.text.contains("was used for another run"))
        try await desk.host.server.stop()
    }

    @Test func theTickedOnesAreThoseOfTheRun() async throws {
        let desk = try await Desk(failed: 4)
        // p-9 was deleted since the page was made, or never was.
        let rehearsal = try await desk.choose("cancel", "", ticked: ["p-1", "p-3", "p-9"])
        var fields = try PageForm("/console/act/many/rehearse", in: rehearsal)
        fields["noActions"] = "yes"
        let page = try await desk.send(fields)
        #expect(page.text.contains("wfctl cancel --no-actions --names-from - --dry-run"))
        #expect(page.text.contains("p-1\np-3\np-9") && page.text.contains("2 would be cancelled"))
        var run = try begin(page)
        run["reason"] = "OPS-3"
        let done = try await desk.done(await desk.send(run))
        #expect(done.text.contains("2 cancelled"), "\(done.text)")
        let left = try await desk.get("/console/instances?status=failed").text
        #expect(!left.contains("/p-1\"") && left.contains("/p-2\"") && left.contains("/p-4\""))
        // Its undo is rehearsed, too, and named after it.
        let name = try #require(run["run"])
        let undo = try PageForm("/console/act/undo-run/\(name)", in: done)
        let rehearsed = try await desk.send(undo)
        #expect(rehearsed.text.contains("2 would be put back"), "\(rehearsed.text)")
        #expect(rehearsed.text.contains("wfctl bulk undo \(name) --dry-run"))
        var undone = try begin(rehearsed)
        #expect(undone["run"] == "undo-\(name)")
        undone["reason"] = "OPS-4"
        let back = try await desk.done(await desk.send(undone))
        #expect(back.text.contains("2 put back"))
        let after = try await desk.get("/console/runs/\(name)").text
        #expect(after.contains("Undone by") && !after.contains("undo-run"))
        // Nothing ticked, and a name that is none.
        let none = try await desk.choose("retry", "", ticked: [])
        #expect(none.status == 400 && none.text.contains("No instance is ticked"))
        let odd = try await desk.choose("retry", "", ticked: ["<script>alert(1)</script>"])
        #expect(odd.status == 400 && !odd.text.contains("<script>alert"))
        #expect(odd.text.contains("is no instance name"), "\(odd.text)")
        try await desk.host.server.stop()
    }

    @Test func aRehearsalLeadsBackAndBeginsNothingThatCannotSucceed() async throws {
        let desk = try await Desk(failed: 2)
        let retry = try await desk.choose("retry")
        #expect(retry.status == 200 && !retry.text.contains("/console/act/many/begin"), "\(retry.text)")
        let list = "<a href=\"/console/instances?machine=parcel&amp;status=failed\">Back to the list</a>"
        #expect(retry.text.contains(list))
        var set = try PageForm("/console/act/many/rehearse", in: await desk.choose("set"))
        set["set"] = "perKilo = 3\r\n"
        let page = try await desk.send(set)
        #expect(page.text.contains("/console/act/many/begin") && page.text.contains(list))
        let change = try await desk.send(PageForm("/console/act/many/change", in: page))
        #expect(change.status == 200)
        #expect(try PageForm("/console/act/many/rehearse", in: change)["set"] == set["set"])
        try await desk.host.server.stop()
    }

    @Test func aMistakeLeavesTheFormAsItWasTyped() async throws {
        let desk = try await Desk(failed: 2)
        var set = try PageForm("/console/act/many/rehearse", in: await desk.choose("set"))
        for (values, words) in [
            ("{\"<i>\":\r\n", "has no &#39;=&#39;"), ("a=<i>", "is not JSON"), ("a=1\r\na=2", "stands twice"),
            (" ", "Nothing to change"),
        ] {
            set["set"] = values
            let page = try await desk.send(set)
            #expect((400..<500).contains(page.status) && page.text.contains(words), "\(page.text)")
            set = try PageForm("/console/act/many/rehearse", in: page)
            #expect(set["set"] == (values == " " ? "" : values) && !page.text.contains("<i>"))
            #expect(page.text.contains("aria-invalid"))
        }
        var send = try PageForm("/console/act/many/rehearse", in: await desk.choose("send", "?machine=parcel"))
        (send["event"], send["data"]) = ("never", #"{"a": 1}"#)
        let unknown = try await desk.send(send)
        #expect(unknown.status == 422)
        send = try PageForm("/console/act/many/rehearse", in: unknown)
        #expect(send["event"] == "never" && send["data"] == #"{"a": 1}"#)
        send["event"] = "note"
        #expect(try await desk.send(send).text.contains("wfctl send note --data &#39;{&quot;a&quot;:1}&#39; --machine"))
        // A migration names both versions.
        _ = try await desk.ask("/v1/machines", Self.parcel.replacing("\"note\": {}", with: "\"other\": {}"))
        var move = try PageForm("/console/act/many/rehearse", in: await desk.choose("migrate", "?machine=parcel"))
        (move["from"], move["to"], move["retry"]) = ("x", "2", "yes")
        let text = try await desk.send(move)
        #expect(text.status == 400 && text.text.contains("must be a number"))
        move = try PageForm("/console/act/many/rehearse", in: text)
        #expect(move["from"] == "x" && move["to"] == "2" && move["retry"] == "yes")
        (move["from"], move["retry"]) = ("1", nil)
        let moves = try await desk.send(move)
        #expect(moves.text.contains("2 would move"), "\(moves.text)")
        #expect(moves.text.contains("wfctl migrate --to 2 --machine parcel --from 1 --dry-run"))
        try await desk.host.server.stop()
    }

    @Test func whatIsLeftToWfctlOrToOthersIsRefused() async throws {
        let desk = try await Desk(failed: 1, [.view])
        let list = try await desk.get("/console/instances")
        let form = try PageForm("/console/act/many/choose", in: list)
        #expect(form.disabled == ["Rehearse with the ticked", "Rehearse with all that match"])
        #expect(list.text.contains("Roles that may: operate, admin."))
        for verb in ["delete", "redact", "purge", "undo"] { #expect(!list.text.contains("<option value=\"\(verb)")) }
        // By hand.
        let refused = try await desk.choose("retry")
        #expect(refused.status == 403 && refused.text.contains("Roles that may: operate, admin"))
        let admin = try await desk.host.session(desk.host.token("other", [.admin]))
        var begin = try PageForm("/console/act/many/choose", in: await desk.host.get("/console/instances", admin))
        begin["verb"] = "delete"
        #expect(try await begin.send(to: desk.host, admin).status == 400)
        (begin["verb"], begin["matching"]) = ("skip", "yes")
        var forged = try self.begin(await begin.send(to: desk.host, admin))
        forged["request"] = #"{"action":{"verb":"delete"},"select":{"all":true},"dryRun":true}"#
        let answer = try await forged.send(to: desk.host, admin)
        #expect(answer.status == 400 && answer.text.contains("is left to wfctl"), "\(answer.text)")
        forged["request"] = "{"
        #expect(try await forged.send(to: desk.host, admin).status == 400)
        try await desk.host.server.stop()
    }

    @Test func aSelectionWithAMistakeAsksNothingOfAnybody() async throws {
        let desk = try await Desk(failed: 1)
        var form = try PageForm("/console/act/many/choose", in: await desk.get("/console/instances"))
        for (select, status, words) in [
            (#"{"where":"context.<b>"}"#, 400, "select.where"), (#"{"olderThan":"soon"}"#, 400, "select.olderThan"),
            (#"{"machine":"parsel"}"#, 404, "There is no machine"), ("{}", 400, "selects nothing"),
            (#"{"all":true,"machine":"parcel"}"#, 400, "goes with nothing else"), ("[", 400, "incomplete"),
        ] {
            (form["verb"], form["matching"], form["select"]) = ("retry", "yes", select)
            let page = try await desk.send(form)
            #expect(page.status == status && page.text.contains(words), "\(select) \(page.status) \(page.text)")
            #expect(!page.text.contains("<b>"))
        }
        #expect(try await desk.get("/console/runs").text.contains("There was no run"))
        #expect(!(try await desk.get("/console/instances?ahead=true").text.contains("all that match\"")))
        try await desk.host.server.stop()
    }
}
