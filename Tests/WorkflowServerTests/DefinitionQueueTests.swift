import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON

@testable import WorkflowServer  // How many definitions wait.

/// Tests that a definition that takes long to compile keeps nobody else waiting.
@Suite struct DefinitionQueueTests {
    /// A compiler that compiles definitions on request.
    private final class Held: Sendable {
        let began = Mutex(0)
        private let turn = DispatchSemaphore(value: 0)

        func read(_ text: String, _ syntax: DefinitionSyntax) throws -> DefinitionReading {
            began.withLock { $0 += 1 }
            turn.wait()
            return try DefinitionReader.read(text, syntax: syntax)
        }

        /// Lets a number of definitions continue.
        func release(_ count: Int) { for _ in 0..<count { turn.signal() } }
    }

    private static func definition(_ name: String) -> String { "{id: \(name), initial: a, states: {a: {on: {e: a}}}}" }

    private static func apply(_ name: String) -> RawRequest {
        .post("/v1/machines", definition(name), as: "application/yaml")
    }

    @Test(.timeLimit(.minutes(20))) func whileOneIsCompiledEverythingElseIsAnswered() async throws {
        let held = Held()
        var limits = ServerLimits()
        limits.waitingDefinitions = 3
        let definitions = DefinitionQueue(limits: limits) { try held.read($0, $1) }
        let host = try await ServerHost(definitions: definitions, limits: limits)
        _ = try await host.engine.apply(Self.definition("m"), syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "m", instance: "i"))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for name in ["one", "two", "three"] {
                group.addTask { try await host.answers(to: [Self.apply(name)])[0].status }
            }
            do {
                try await Self.expectOthersAnswered(host, held, definitions)
            } catch {
                held.release(8)
                throw error
            }
            held.release(8)
            for try await status in group { #expect(status == 201) }
        }
        #expect(definitions.count == 0 && held.began.withLock { $0 } == 3)
        #expect(try await host.answers(to: [.post("/v1/machines", "{id: 1", as: "application/yaml")])[0].status == 422)
        try await host.stop()
    }

    private static func expectOthersAnswered(
        _ host: ServerHost, _ held: Held, _ definitions: DefinitionQueue
    ) async throws {
        try await eventually("a definition is compiled, and two wait") {
            definitions.count >= 3 && held.began.withLock { $0 } > 0
        }
        // Definitions are compiled one after another: the others wait behind it.
        #expect(held.began.withLock { $0 } == 1)
        let others: [RawRequest] = [
            .get("/readyz"), .get("/livez"), .get("/v1/instances/i"),
            .post("/v1/instances/i/events", #"{"event": "e"}"#), .get("/v1/instances/j"),
            .get("/v1/instances/i/events"), .get("/v1/instances/i/history?detail=true"),
        ]
        let statuses = try await host.answers(to: others).map(\.status)
        #expect(statuses == [200, 200, 200, 200, 404, 200, 200])
        // Beyond the bound, callers are told to come back; so for what is only tried.
        let refused = try await host.answers(to: [
            apply("four"), .post("/v1/machines/m/replay", definition("m"), as: "application/yaml"),
        ])
        #expect(refused.map(\.status) == [503, 503])
        #expect(try refused[0].object["type"] == "overloaded")
    }
}
