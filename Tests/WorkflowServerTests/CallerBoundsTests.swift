import DaemonTesting
import Foundation
import IdentityTesting
import NIOCore
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowStore

@testable import WorkflowServer  // Its bounds are no part of what the daemon uses.

/// Tests that a caller who takes all it can get leaves others their share.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct CallerBoundsTests {
    /// A server with the callers `greedy` and `modest`, which both connect from one address.
    struct Host {
        let host: ServerHost
        let greedy: [(name: String, value: String)]
        let modest: [(name: String, value: String)]

        /// - Parameter isProxied: True if both are people for whom a proxy speaks.
        init(
            _ limits: ServerLimits, definitions: DefinitionQueue = DefinitionQueue(), isProxied: Bool = false
        ) async throws {
            let made = Mutex<AccessBook?>(nil)
            host = try await ServerHost(
                access: { database in
                    let book = AccessBook { WireTime(milliseconds: SystemClock().now().rawValue) }
                    try book.open(AccessFile(besideDatabase: database))
                    made.withLock { $0 = book }
                    return AccessControl(book)
                }, isOnTCP: true, definitions: definitions, limits: limits)
            let book = try #require(made.withLock { $0 })
            let tokens = try (isProxied ? ["sso"] : ["greedy", "modest"]).map { name in
                let request = CreateTokenRequest(name: name, roles: [.admin], queues: nil, speaksFor: isProxied)
                return try book.create(request, until: nil, by: nil).token.text
            }
            func headers(_ token: String, _ person: String) -> [(name: String, value: String)] {
                [("Authorization", "Bearer \(token)")] + (isProxied ? [("Wfd-On-Behalf-Of", person)] : [])
            }
            (greedy, modest) = (headers(tokens[0], "greedy"), headers(tokens[tokens.count - 1], "modest"))
            _ = try await host.engine.apply("{id: m, initial: a, states: {a: {on: {e: a}}}}", syntax: .yaml)
            _ = try await host.engine.start(StartCommand(machine: "m", instance: "i", by: .test))
        }
    }

    private static let lost = "gave the place of this request to a caller"

    /// The limits with room for 3 streams and waiting requests, and for 16 with bodies.
    private static var few: ServerLimits {
        var limits = ServerLimits()
        (limits.streams, limits.connections, limits.shortConnections) = (3, 30, 27)
        (limits.bodyTime, limits.lineTime, limits.restTime) = (.hours(1), .hours(1), .hours(1))
        limits.idleSeconds = 3_600
        return limits
    }

    @Test(arguments: [false, true]) func aCallerWithAllStreamsLeavesOthersTheirs(isProxied: Bool) async throws {
        let host = try await Host(Self.few, isProxied: isProxied)
        try await onOwnThread { [address = host.host.address, greedy = host.greedy, modest = host.modest] in
            func open(_ headers: [(name: String, value: String)]) throws -> EventReader {
                try EventReader(Route.streamAll.path(), of: address, headers: headers)
            }
            let all = try (0..<3).map { _ in try open(greedy) }
            #expect(all.map(\.status) == [200, 200, 200])
            #expect(try open(greedy).status == 503)
            let other = try open(modest)
            #expect(other.status == 200)
            // The newest ends properly, with the reason; its bytes come once it is told.
            let last = try all[2].nextEvent()
            #expect(last?.event == "problem" && last?.data?.contains(Self.lost) == true, "\(last?.data ?? "")")
            #expect(try all[2].nextEvent() == nil)
            // Two and one: nobody takes from the other any more.
            for headers in [modest, greedy] { #expect(try open(headers).status == 503) }
            withExtendedLifetime((all, other)) {}
        }
        try await host.host.stop()
    }

    @Test(arguments: [false, true]) func aCallerWithAllConnectionsLeavesOthersTheirs(isProxied: Bool) async throws {
        var limits = Self.few
        (limits.streams, limits.connections, limits.shortConnections, limits.extraConnections) = (10, 4, 0, 2)
        let host = try await Host(limits, isProxied: isProxied)
        try await onOwnThread { [address = host.host.address, greedy = host.greedy, modest = host.modest] in
            let all = try (0..<4).map { _ in try EventReader(Route.streamAll.path(), of: address, headers: greedy) }
            #expect(all.map(\.status) == [200, 200, 200, 200])
            func ask(_ headers: [(name: String, value: String)]) throws -> RawAnswer {
                try RawConnection(to: address).answer(to: RawRequest("GET", "/v1/machines", headers: headers))
            }
            let full = "503 overloaded: All connections of this address are in use"
            for headers in [greedy, [], [("Authorization", "Bearer wfdt_x_y")]] {
                #expect(try ask(headers).told == full)
            }
            let connection = try RawConnection(to: address)
            for _ in 0..<2 {
                let answer = try connection.answer(to: RawRequest("GET", "/v1/machines", headers: modest))
                #expect(answer.status == 200)
            }
            #expect(throws: (any Error).self) { while try all[3].next() != nil {} }
            #expect(try ask([]).status == 401)
            withExtendedLifetime(all) {}
        }
        try await host.host.stop()
    }

    @Test(arguments: ["lease", "history"])
    func aCallerThatWaitsEverywhereLeavesOthersTheirShare(what: String) async throws {
        let host = try await Host(Self.few)
        func request(_ headers: [(name: String, value: String)], wait: Int) -> RawRequest {
            what == "lease"
                ? .post(Route.leaseTasks.path("q"), #"{"wait": \#(wait)}"#, headers: headers)
                : RawRequest("GET", "/v1/instances/i/history?after=1&wait=\(wait)", headers: headers)
        }
        try await expectShared(
            host, count: 3, greedy: request(host.greedy, wait: 60).bytes, modest: request(host.modest, wait: 1).bytes)
        try await host.host.stop()
    }

    @Test(arguments: [
        ("/v1/instances/i/events", "application/json", 200), ("/v1/machines", "application/yaml", 422),
        ("/v1/tasks", LineStream.mediaType, nil),
    ])
    func aCallerOfUnfinishedBodiesLeavesOthersTheirShare(target: String, type: String, status: Int?) async throws {
        let host = try await Host(Self.few)
        let body = #"{"event": "e"}"#
        func begun(_ headers: [(name: String, value: String)]) -> [UInt8] {
            let length = [("Content-Type", type), ("Content-Length", "\(body.utf8.count)")]
            return RawRequest("POST", target, headers: headers + length).bytes + Array(body.utf8.dropLast())
        }
        try await expectShared(
            host, count: 16, greedy: begun(host.greedy), modest: begun(host.modest), rest: "}", status: status)
        try await host.host.stop()
    }

    /// - Parameters:
    ///   - count: The number of places.
    ///   - rest: The end of the modest caller's request.
    ///   - status: The status of the modest caller's answer; `nil` if the answer begins before the request has ended.
    private func expectShared(
        _ host: Host, count: Int, greedy: [UInt8], modest: [UInt8], rest: String = "", status: Int? = 200
    ) async throws {
        try await onOwnThread { [address = host.host.address] in
            func open(_ bytes: [UInt8]) throws -> RawConnection {
                let connection = try RawConnection(to: address)
                try connection.write(bytes)
                if status == nil { _ = try connection.read(through: "\r\n\r\n") }
                return connection
            }
            var all = try (0...count).map { _ in try open(greedy) }
            /// Reads the only refusal among the answers.
            func refused() throws -> String {
                let deadline = ContinuousClock.now + .seconds(60)
                while true {
                    if let place = all.firstIndex(where: \.isReadable) {
                        return try all.remove(at: place).read(through: "}")
                    }
                    guard ContinuousClock.now < deadline else { throw TestingError("nobody is refused") }
                }
            }
            let first = try refused()
            #expect(first.contains("\(count) streams and requests that wait are open already"), "\(first)")
            let other = try open(modest)
            let second = try refused()
            #expect(second.contains(Self.lost), "\(second)")
            try other.write(Array(rest.utf8))
            if let status { #expect(try other.readAnswer().status == status) }
            if status == nil { _ = try other.read(through: "invalid") }
            let further = all.count { $0.isReadable }
            #expect(further == 0)
        }
    }

    @Test func aCallerOfManyDefinitionsLeavesOthersTheirShare() async throws {
        let turn = DispatchSemaphore(value: 0)
        var limits = Self.few
        limits.waitingDefinitions = 3
        let definitions = DefinitionQueue(limits: limits) { text, syntax in
            turn.wait()
            return try DefinitionReader.read(text, syntax: syntax)
        }
        let host = try await Host(limits, definitions: definitions)
        let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
            func apply(_ caller: String, _ name: String) {
                let request = RawRequest.post(
                    "/v1/machines", "{id: \(name), initial: a, states: {a: {}}}", as: "application/yaml",
                    headers: caller == "greedy" ? host.greedy : host.modest)
                group.addTask { (caller, try await host.host.answer(to: request).status) }
            }
            defer { for _ in 0..<8 { turn.signal() } }
            for name in ["a", "b", "c", "d"] { apply("greedy", name) }
            let refused = try #require(try await group.next())
            #expect(refused == ("greedy", 503))
            apply("modest", "e")
            try await eventually("the other has its place") {
                definitions.count(of: "token:modest") == 1 && definitions.count(of: "token:greedy") == 2
            }
            for _ in 0..<8 { turn.signal() }
            return try await group.reduce(into: [String: [Int]]()) { $0[$1.0, default: []].append($1.1) }
        }
        #expect(statuses["modest"] == [201])
        #expect(statuses["greedy"]?.sorted() == [201, 201, 503])
        #expect(definitions.count == 0)
        try await host.host.stop()
    }
}
