import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing
import WorkflowAPI
import WorkflowClient

/// Tests the client on real sockets, against a server that answers with fixed bytes.
@Suite(.timeLimit(.minutes(20)))
struct HTTPTransportTests {
    @Test func aRequestOnAUnixSocketIsWhole() async throws {
        try await withFolder { folder in
            let body = #"{"status":"ok"}"#
            let server = try await FixedServer(
                path: folder + "/a b%2F.sock",
                answer: "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\n"
                    + "content-length: \(body.utf8.count)\r\n\r\n\(body)")
            let client = WorkflowClient(address: .unix(path: folder + "/a b%2F.sock"))
            #expect(try await client.live() == Health(status: .live))
            await client.shutdown()
            try await server.close()
            let lines = server.received.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /livez HTTP/1.1")
            #expect(lines.contains("host: localhost"))
            #expect(lines.contains("accept: application/json, application/problem+json"))
            #expect(lines.contains("user-agent: wfd-client/\(Release.version)"))
        }
    }

    @Test func aClosedConnectionIsALostAnswer() async throws {
        try await withFolder { folder in
            let server = try await FixedServer(path: folder + "/s", answer: "")
            let client = WorkflowClient(address: .unix(path: folder + "/s"))
            await #expect(throws: ClientError.answerLost(client.address, reason: "the connection was closed")) {
                try await client.send(SendRequest(event: "pay"), to: "o")
            }
            await client.shutdown()
            try await server.close()
        }
    }

    @Test func anAnswerMayNotBeTooLong() async throws {
        try await withFolder { folder in
            let server = try await FixedServer(
                path: folder + "/s", answer: "HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n")
            let client = WorkflowClient(address: .unix(path: folder + "/s"), limits: ClientLimits(answerBytes: 1999))
            await #expect(
                throws: ClientError.protocolViolation(client.address, reason: "it is longer than 1999 bytes")
            ) {
                try await client.live()
            }
            await client.shutdown()
            try await server.close()
        }
    }

    @Test func anAnswerInLinesThatBreaksOffIsLost() async throws {
        try await withFolder { folder in
            let line = #"{"status":"ok"}"# + "\n"
            let server = try await FixedServer(
                path: folder + "/s",
                answer: "HTTP/1.1 200 OK\r\ncontent-type: \(LineStream.mediaType)\r\ntransfer-encoding: chunked\r\n\r\n"
                    + "\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
            let client = WorkflowClient(address: .unix(path: folder + "/s"))
            var lines = try await client.lines(TransportRequest(.post, "/v1/x"), of: Health.self).makeAsyncIterator()
            let first = try await lines.next()
            #expect(first == Health(status: .live))
            await #expect(throws: ClientError.answerLost(client.address, reason: "the connection was closed")) {
                try await lines.next()
            }
            await client.shutdown()
            try await server.close()
        }
    }

    @Test func anAbsentSocketIsUnreachable() async throws {
        try await withFolder { folder in
            let client = WorkflowClient(address: .unix(path: folder + "/none"))
            await #expect(throws: ClientError.unreachable(client.address, reason: "there is no such socket")) {
                try await client.live()
            }
            await client.shutdown()
        }
    }

    @Test func aSocketThatWasLeftBehindIsUnreachable() async throws {
        try await withFolder { folder in
            try leaveSocket(at: folder + "/left")
            let client = WorkflowClient(address: .unix(path: folder + "/left"))
            await #expect(throws: ClientError.unreachable(client.address, reason: "nobody listens there")) {
                try await client.live()
            }
            await client.shutdown()
        }
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let client = WorkflowClient(address: .tcp(host: "127.0.0.1", port: 1))
        await #expect(throws: ClientError.unreachable(client.address, reason: "nobody listens there")) {
            try await client.live()
        }
        await client.shutdown()
    }

    /// Leaves a file of a socket that nothing listens on, as a killed daemon does.
    private func leaveSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wfd-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }
}

/// A server that answers the first bytes of every connection with the same bytes and closes it.
private final class FixedServer: Sendable {
    private let channel: any Channel
    private let state: ReceivedText

    init(path: String, answer: String) async throws {
        let state = ReceivedText()
        self.state = state
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.pipeline.addHandler(AnsweringHandler(answer: answer, received: state))
            }
            .bind(unixDomainSocketPath: path).get()
    }

    var received: String { state.text.withLock { $0 } }

    func close() async throws {
        try await channel.close()
    }
}

/// The text that a server has read.
private final class ReceivedText: Sendable {
    let text = Mutex("")
}

private final class AnsweringHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let answer: String
    private let received: ReceivedText

    init(answer: String, received: ReceivedText) {
        self.answer = answer
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        received.text.withLock { $0 += text }
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
    }
}
