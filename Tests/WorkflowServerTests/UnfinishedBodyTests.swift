import DaemonTesting
import NIOCore
import Testing
import WorkflowAPI
import WorkflowJSON

@testable import WorkflowServer  // The bounds of connections are no part of what the daemon uses.

/// Tests requests that are refused before their bodies are read, and requests whose bodies do not come.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct UnfinishedBodyTests {
    private static let part = [UInt8](repeating: UInt8(ascii: "b"), count: 1 << 16)

    private func request(
        _ target: String, length: Int?, as type: String = "application/json", closing: Bool = false
    ) -> [UInt8] {
        var headers = [(name: "Content-Type", value: type)]
        headers.append(length.map { ("Content-Length", "\($0)") } ?? ("Transfer-Encoding", "chunked"))
        if closing { headers.append(("Connection", "close")) }
        return RawRequest("POST", target, headers: headers).bytes
    }

    /// It writes all that it has before it reads, as many clients do.
    @Test(arguments: [
        ("/nowhere", 404), ("/v1/instances/a/events", 413), ("/v1/machines", 413), ("/v1/tasks", 415),
        ("/v1/instances/a/events?dryRun=maybe", 400),
    ])
    func anHonestCallerHasItsAnswer(target: String, status: Int) async throws {
        var limits = ServerLimits()
        // A machine with much to do may take its time.
        limits.restTime = .hours(1)
        let host = try await ServerHost(limits: limits)
        let length = status == 413 ? APILimits.bodyBytes + 1 : 900_000
        for isClosing in [false, true] {
            try await onOwnThread { [address = host.address] in
                let connection = try RawConnection(to: address)
                let type = status == 413 && target == "/v1/machines" ? "application/yaml" : "application/json"
                let head = request(target, length: length, as: type, closing: isClosing)
                try connection.write(head + [UInt8](repeating: UInt8(ascii: "b"), count: length))
                let answer = try connection.readAnswer()
                #expect(answer.status == status)
                if isClosing {
                    #expect(answer.headers["connection"] == "close" && connection.isAtEnd)
                } else {
                    #expect(try connection.answer(to: .get("/livez")).status == 200)
                }
            }
        }
        try await host.stop()
    }

    /// It reads to the end of the connection.
    @Test func whoEndsABodyThatIsCutOffHasTheEndAtOnce() async throws {
        var limits = ServerLimits()
        limits.restTime = .hours(1)
        limits.idleSeconds = 3_600
        let host = try await ServerHost(limits: limits)
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            try connection.write(request("/nowhere", length: nil) + Array("5\r\nbbb".utf8))
            let answer = try connection.readAnswer()
            #expect(answer.status == 404 && answer.headers["connection"] == "close")
            try connection.write(Array("bb\r\n0\r\n\r\n".utf8))
            #expect(connection.isAtEnd)
        }
        try await host.stop()
    }

    @Test(arguments: [1 << 30, nil])
    func aBodyWithoutEndIsCutOff(length: Int?) async throws {
        let host = try await ServerHost()
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            var head = request("/nowhere", length: length)
            if length == nil { head += Array("40000000\r\n".utf8) }
            try connection.write(head)
            var taken = 0
            for _ in 0..<1_024 {
                let count = connection.writeWhileTaken(Self.part, patience: 40)
                taken += count
                if count < Self.part.count { break }
            }
            // A mebibyte, and what fits between the two.
            #expect(taken < 8 << 20, "\(taken)")
            let answer = try connection.readAnswer()
            #expect(answer.status == 404 && answer.headers["connection"] == "close")
            #expect(connection.isAtEnd)
        }
        try await host.stop()
    }

    @Test(arguments: [100, 1 << 30]) func aBodyThatDoesNotComeIsNotWaitedFor(length: Int) async throws {
        var limits = ServerLimits()
        limits.idleSeconds = 3_600
        limits.bodyTime = .hours(1)
        let host = try await ServerHost(limits: limits)
        try await onOwnThread { [address = host.address] in
            for isClosing in [false, true] {
                let connection = try RawConnection(to: address)
                try connection.write(request("/nowhere", length: length, closing: isClosing))
                #expect(try connection.readAnswer().status == 404)
                #expect(connection.isAtEnd)
            }
        }
        try await host.stop()
    }

    @Test(arguments: ["/v1/events", "/v1/tasks"])
    func linesThatDoNotEndLeaveRoomForOthers(target: String) async throws {
        var limits = ServerLimits()
        limits.connections = 100
        limits.shortConnections = 40
        limits.lineTime = .hours(1)
        limits.restTime = .hours(1)
        limits.idleSeconds = 3_600
        let host = try await ServerHost(limits: limits)
        try await onOwnThread { [address = host.address] in
            let line = request(target, length: nil, as: LineStream.mediaType) + Array("8\r\n{\"instan\r\n".utf8)
            let connections = try (0..<100).map { _ in
                let connection = try RawConnection(to: address)
                try connection.write(line)
                return connection
            }
            // The answer to lines begins before they have come.
            for connection in connections { _ = try connection.read(through: "\r\n\r\n") }
            // 80 are waited for. The others are told to come back, and make room for whoever comes.
            let deadline = ContinuousClock.now + .seconds(60)
            while connections.count(where: \.isReadable) < 20 {
                guard ContinuousClock.now < deadline else { throw TestingError("nobody is refused") }
            }
            for connection in connections where connection.isReadable {
                _ = try connection.read(through: "80 streams and requests that wait are open already")
            }
            func status() throws -> Int {
                try RawConnection(to: address).answer(to: .get("/v1/machines")).status
            }
            while try status() != 200 {
                guard ContinuousClock.now < deadline else { throw TestingError("nobody makes room") }
            }
            for _ in 0..<30 { #expect(try status() == 200) }
            withExtendedLifetime(connections) {}
        }
        try await host.stop()
    }

    @Test(arguments: ["/v1/events", "/v1/events?atomic=true", "/v1/tasks", "/v1/bulk"])
    func aLineThatDoesNotEndIsGivenUp(target: String) async throws {
        var limits = ServerLimits()
        limits.lineTime = .seconds(1)
        limits.lineLook = .milliseconds(100)
        limits.idleSeconds = 3_600
        let host = try await ServerHost(limits: limits)
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            let line = request(target, length: nil, as: LineStream.mediaType) + Array("8\r\n{\"instan\r\n".utf8)
            try connection.write(line)
            let end = try connection.readToEnd()
            #expect(end.contains("Line 1 was not complete after 1 seconds"), "\(end)")
        }
        try await host.stop()
    }

    /// Its lines come one by one, with pauses between them.
    @Test func whoSendsLinesNowAndThenIsNotGivenUp() async throws {
        var limits = ServerLimits()
        limits.lineTime = .milliseconds(50)
        limits.lineLook = .milliseconds(10)
        let host = try await ServerHost(limits: limits)
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            try connection.write(request("/v1/events", length: nil, as: LineStream.mediaType))
            let line = #"{"instance":"nobody","event":"e"}"# + "\n"
            for number in 1...5 {
                try connection.write(Array("\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n".utf8))
                if number == 1 { #expect(try connection.readHead().status == 200) }
                let answer = String(decoding: try connection.readChunk(), as: UTF8.self)
                #expect(answer.contains("\"line\":\(number),\"status\":404"), "\(answer)")
                // The requests of others take so long that a line would be given up.
                for _ in 0..<300 { _ = try RawConnection(to: address).answer(to: .get("/livez")) }
            }
            try connection.write(Array("0\r\n\r\n".utf8))
            #expect(try connection.readChunk().isEmpty)
            #expect(try connection.answer(to: .get("/livez")).status == 200)
        }
        try await host.stop()
    }
}
