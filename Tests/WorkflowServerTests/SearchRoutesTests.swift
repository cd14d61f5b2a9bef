import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests lists with a condition, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct SearchRoutesTests {
    private static let definition = """
        id: order
        initial: idle
        context: {customer: nobody, n: 0, by: 0}
        states:
          idle:
            on:
              set: {actions: {assign: {customer: event.data.customer, n: event.data.n}}}
              poke: {actions: {send: count}}
              count: {actions: {assign: {n: 10 / context.by}}}
              go: busy
          busy: {}
        """

    /// Starts ten orders; the third and the seventh are of another customer, and the fifth has failed.
    private static func host() async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(definition, syntax: .yaml)
        for number in 0..<10 {
            let name = "o-\(number)"
            _ = try await host.engine.start(StartCommand(machine: "order", instance: name))
            let data: JSONValue = ["customer": .string(number % 4 == 3 ? "c-17" : "c-1"), "n": .int(Int64(number))]
            _ = try await host.engine.send(SendCommand(instance: name, event: Event(name: "set", data: data)))
        }
        _ = try await host.engine.send(SendCommand(instance: "o-5", event: Event(name: "poke")))
        return host
    }

    private static func target(_ condition: String, _ more: String = "") -> String {
        "/v1/instances?where=\(PercentEncoding.encode(condition))\(more)"
    }

    private static func names(_ answer: RawAnswer) throws -> [String] {
        guard case .array(let items)? = try answer.object["items"] else { return [] }
        return items.compactMap { $0.object?["instance"]?.string }
    }

    @Test(arguments: [
        ("context.customer == 'c-17'", ["o-3", "o-7"], 10),
        ("context.n > 7 && status == 'running'", ["o-8", "o-9"], 10),
        ("status == 'failed' && failure.type == 'expression-failed' && failure.line == 9", ["o-5"], 10),
        ("inState > duration('24h')", [], 10),
    ])
    func aListTakesACondition(_ condition: String, _ wanted: [String], _ examined: Int64) async throws {
        let host = try await Self.host()
        for limit in [1, 2, 100] {
            var (found, count): ([String], Int64) = ([], 0)
            var page = ""
            repeat {
                let answer = try await host.answers(to: [.get(Self.target(condition, "&limit=\(limit)\(page)"))])[0]
                #expect(answer.status == 200, "\(answer.text)")
                found += try Self.names(answer)
                guard case .int(let more)? = try answer.object["search"]?.object?["examined"] else { break }
                count += more
                page = try answer.object["nextPage"]?.string.map { "&page=\($0)" } ?? ""
            } while !page.isEmpty
            #expect(found.sorted() == wanted)
            #expect(limit == 100 ? count == examined : count >= examined)
        }
        try await host.stop()
    }

    @Test func whatHasNoValueIsCounted() async throws {
        let host = try await Self.host()
        let answers = try await host.answers(to: [
            .get(Self.target("name == 'o-4' ? context.missing : context.n == 2")), .get("/v1/instances"),
            .get(Self.target("context.n == 2", "&prefix=o-2&machine=order&status=running")),
        ])
        #expect(try Self.names(answers[0]) == ["o-2"])
        let search = try #require(try answers[0].object["search"]?.object)
        #expect(search["examined"] == 10 && search["failed"] == 1)
        #expect(search["first"]?.object?["instance"] == "o-4")
        #expect(search["first"]?.object?["message"]?.string?.contains("missing") == true)
        #expect(try answers[1].object["search"] == nil)
        #expect(try answers[2].object["search"] == ["examined": 1])
        try await host.stop()
    }

    @Test func aConditionSeesTheFailureThatTheListShows() async throws {
        let host = try await Self.host()
        let shown = try await host.answers(to: [.get("/v1/instances?status=failed")])[0]
        guard case .array(let items)? = try shown.object["items"], let failure = items.first?.object?["failure"]?.object
        else {
            Issue.record("\(shown.text)")
            return
        }
        #expect(failure.count > 7)
        for (name, value) in failure.members.map({ ($0.key, $0.value) }) {
            let answer = try await host.answers(to: [
                .get(Self.target("failure != null && failure.\(name) == \(JSONWriter.string(value))"))
            ])[0]
            #expect(try Self.names(answer) == ["o-5"], "\(name): \(answer.text)")
        }
        let all = try await host.answers(to: [.get(Self.target("failure != null && size(failure) == \(failure.count)"))]
        )
        #expect(try Self.names(all[0]) == ["o-5"])
        try await host.stop()
    }

    @Test(arguments: [
        ("contxt.n == 1", "Parameter 'where': line 1, column 1: unknown variable 'contxt'; did you mean 'context'?"),
        ("'a'", "Parameter 'where': it must give true or false, and gives string"),
    ])
    func aMistakeIsABadRequest(_ condition: String, _ detail: String) async throws {
        let host = try await Self.host()
        let text = JSONWriter.string(JSONValue.string(condition))
        let bulk = RawRequest.post(
            "/v1/bulk", #"{"dryRun":true,"action":{"verb":"cancel"},"select":{"where":\#(text)}}"#)
        let answers = try await host.answers(to: [.get(Self.target(condition)), bulk])
        #expect(answers.map(\.status) == [400, 400])
        #expect(try answers[0].object["detail"]?.string == detail)
        let inBody = detail.replacing("Parameter 'where'", with: "Field 'select.where'")
        #expect(try answers[1].object["detail"]?.string == inBody)
        let others = try await host.answers(to: [
            .get("/v1/instances?where="), .get(Self.target("true", "&sort=age")),
            .get(Self.target("true", "&sort=name")),
        ])
        #expect(others.map(\.status) == [400, 400, 200])
        try await host.stop()
    }

    @Test func aPageTokenIsOfItsCondition() async throws {
        let host = try await Self.host()
        let first = try await host.answers(to: [.get(Self.target("context.n >= 0", "&limit=1"))])[0]
        let page = try #require(try first.object["nextPage"]?.string)
        let plain = try await host.answers(to: [.get("/v1/instances?limit=1")])[0]
        let other = try #require(try plain.object["nextPage"]?.string)
        for target in [
            Self.target("context.n >= 1", "&page=\(page)"), "/v1/instances?page=\(page)",
            Self.target("context.n >= 0", "&page=\(other)"), Self.target("context.n >= 0", "&prefix=o&page=\(page)"),
        ] {
            let answer = try await host.answers(to: [.get(target)])[0]
            #expect(answer.status == 400 && answer.text.contains("another list"), "\(target): \(answer.text)")
        }
        // A time that no wfd writes into a token.
        let text = String(decoding: try #require(Data(base64Encoded: Self.padded(page))), as: UTF8.self)
        let list = try #require(text.lastIndex(of: "["))
        for time in ["-1", "999999999999999999", "\"a\""] {
            let forged = text[..<list] + "[\(time)," + (text[list...].split(separator: ",").last ?? "")
            let answer = try await host.answers(to: [
                .get(Self.target("context.n >= 0", "&page=\(Data(forged.utf8).base64EncodedString())"))
            ])[0]
            #expect(answer.status == 400, "\(answer.text)")
        }
        // An instance that changes between two pages does not hold up the list.
        _ = try await host.engine.send(SendCommand(instance: "o-1", event: Event(name: "go")))
        let rest = try await host.answers(to: [.get(Self.target("context.n >= 0", "&page=\(page)"))])[0]
        #expect(rest.status == 200)
        #expect(try Self.names(rest).count == 9)
        try await host.stop()
    }

    private static func padded(_ text: String) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    /// A condition sees the context as lists show it: erased values are gone.
    @Test func erasedValuesAreGone() async throws {
        let host = try await Self.host()
        let condition = Self.target("context.customer == 'c-17'")
        let redact = RawRequest.post("/v1/instances/o-3/redact", #"{"seqs":"2","paths":["customer"],"reason":"r"}"#)
        let answers = try await host.answers(to: [redact, .get(condition)])
        #expect(answers[0].status == 200, "\(answers[0].text)")
        #expect(try Self.names(answers[1]) == ["o-7"])
        try await host.stop()
    }
}
