import DaemonTesting
import NIOCore
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient

@testable import WorkflowServer  // Its bounds are no part of what the daemon uses.

/// Tests the bytes of bodies and lines that have not arrived completely.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct UnfinishedBytesTests {
    typealias Headers = [(name: String, value: String)]

    /// The limits with room for 16 parts.
    private static var limits: ServerLimits {
        var limits = ServerLimits()
        (limits.unfinishedBytes, limits.unfinishedPart) = (1 << 20, 64 << 10)
        (limits.bodyTime, limits.lineTime, limits.restTime) = (.hours(1), .hours(1), .hours(1))
        (limits.lineLook, limits.idleSeconds) = (.milliseconds(50), 3_600)
        return limits
    }

    /// Three parts, and bytes that are free.
    private static let begun = 200 << 10
    private static let whole = 300 << 10

    /// Sends a head and three parts of the body.
    private func begin(_ target: String, by caller: Headers, to address: Address) async throws -> RawConnection {
        let isInLines = target == "/v1/events"
        let type = isInLines ? LineStream.mediaType : "application/json"
        let headers = [("Content-Type", type), ("Content-Length", "\(Self.whole)")] + caller
        return try await onOwnThread {
            let connection = try RawConnection(to: address)
            try connection.write(RawRequest("POST", target, headers: headers).bytes)
            // The answer to lines begins before they have come.
            if isInLines { _ = try connection.read(through: "\r\n\r\n") }
            try connection.write([UInt8](repeating: UInt8(ascii: " "), count: Self.begun))
            return connection
        }
    }

    @Test(arguments: ["/v1/instances", "/v1/events"])
    func theCallerWithTheMostUnfinishedBytesGivesWay(target: String) async throws {
        let host = try await CallerBoundsTests.Host(Self.limits)
        let bodies = host.host.budget.lasting.bodies
        func expect(parts: Int) async throws {
            try await eventually("\(parts) parts are taken", within: .seconds(60)) { bodies.count == parts }
        }
        func begin(_ caller: Headers) async throws -> RawConnection {
            try await self.begin(target, by: caller, to: host.host.address)
        }
        var all: [RawConnection] = []
        for number in 1...5 {
            all.append(try await begin(host.greedy))
            try await expect(parts: 3 * number)
        }
        // One part is left. Nobody else has any, so its own next body is refused.
        let next = try await begin(host.greedy)
        let refusal = try await onOwnThread { try next.readToEnd() }
        #expect(refusal.contains("Unfinished bodies have 1048576 bytes already, the most"), "\(refusal)")
        try await expect(parts: 15)
        let other = try await begin(host.modest)
        let lost = try await onOwnThread { [all] in try all[4].readToEnd() }
        #expect(lost.contains("gave the place of this request to a caller"), "\(lost)")
        try await expect(parts: 15)
        // A body that has arrived completely takes none.
        let answer = try await onOwnThread {
            try other.write([UInt8](repeating: UInt8(ascii: " "), count: Self.whole - Self.begun))
            other.endWriting()
            return try other.readToEnd()
        }
        #expect(answer.contains("\"status\":400"), "\(answer)")
        try await expect(parts: 12)
        #expect(all.prefix(4).allSatisfy { !$0.isReadable })
        all.removeAll()
        try await expect(parts: 0)
        try await host.host.stop()
    }

    /// A stream of lines may have more bytes than all unfinished bodies together.
    @Test func linesThatHaveEndedTakeNothing() async throws {
        let host = try await CallerBoundsTests.Host(Self.limits)
        let data = String(repeating: "x", count: 30_000)
        let lines = String(repeating: #"{"instance":"nobody","event":"e","data":"\#(data)"}"# + "\n", count: 100)
        let request = RawRequest.post("/v1/events", lines, as: LineStream.mediaType, headers: host.greedy)
        let answer = try await host.host.answer(to: request)
        #expect(answer.text.split(separator: "\n").count == 100)
        #expect(!answer.text.contains("overloaded"))
        #expect(host.host.budget.lasting.bodies.count == 0)
        try await host.host.stop()
    }
}
