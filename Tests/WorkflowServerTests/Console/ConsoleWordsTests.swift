import DaemonTesting
import Foundation
import Testing
import WorkflowAPI

/// Tests how a newcomer finds the console, and what it says about a missing role.
@Suite(.timeLimit(.minutes(20))) struct ConsoleWordsTests {
    @Test func theAddressAloneLeadsToTheConsole() async throws {
        let host = try await ConsoleHost()
        let first = try await host.get("/")
        #expect(first.status == 307 && first.headers["location"] == "/console/")
        #expect(try await host.get("/console/").status == 401)
        // The rules for heads hold here too.
        var foreign = RawRequest.get("/")
        foreign.hosts = ["evil.example"]
        #expect(try await host.server.answer(to: foreign).status == 421)
        var post = RawRequest.post("/", "{}")
        post.hosts = [host.authority]
        #expect(try await host.server.answer(to: post).status == 401)
        try await host.server.stop()
    }

    @Test func aSocketHasNoConsoleToLeadTo() async throws {
        let host = try await ServerHost()
        let answer = try await host.answer(to: .get("/"))
        #expect(answer.status == 404 && answer.text.contains("There is no route GET /"))
        try await host.stop()
    }

    @Test func theRolesThatMayAreNamedOnce() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("worker", [.work]))
        let page = try await host.get("/console/instances", cookie).text
        #expect(page.components(separatedBy: "deploy").count == 2, "\(page)")
        #expect(page.contains("&#39;wfctl token create NAME --role view&#39; makes a token that may."), "\(page)")
        try await host.server.stop()
    }

    @Test func aMistakeInAConditionKeepsTheOthers() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("reader", [.view]))
        let query = "machine=order&where=context.a%20%3D%201&olderThan=2%20days"
        let page = try await host.get("/console/instances?\(query)", cookie)
        #expect(page.status == 400 && page.text.contains("class=\"problem\""))
        for typed in ["order", "context.a = 1", "2 days"] { #expect(page.text.contains("value=\"\(typed)\"")) }
        try await host.server.stop()
    }
}
