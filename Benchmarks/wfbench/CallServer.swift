import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A service in the role of one that effects call: it answers `{"id":"r-1"}` at once on one port of this machine, and
/// after a while on another. It counts the requests. If a path ends with a time, in milliseconds of the wall clock, it
/// records how long the request has been on its way.
///
/// One thread does all of it, so that most of the cores are left for the measured programs.
struct CallServer: Service {
    /// The delay of the answers on the slow port.
    private static let slow = TimeAmount.seconds(2)

    /// The unix socket on which the service answers `/ports`, `/count` and `/delays`.
    private let control: String
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init(control: String) { self.control = control }

    func run() async throws {
        let calls = ReceivedCalls()
        let quick = try await listen { calls.came($0) }
            .bind(host: "127.0.0.1", port: 0).get()
        let slow = try await listen(after: Self.slow) { calls.came($0) }
            .bind(host: "127.0.0.1", port: 0).get()
        let ports = [quick, slow].compactMap { $0.localAddress?.port.map(String.init) }.joined(separator: " ")
        _ = try await listen { path in
            switch path {
            case "/ports": ports
            case "/count": "\(calls.count)"
            default: calls.takeDelays()
            }
        }.bind(unixDomainSocketPath: control).get()
        // The process ends then, and its sockets with it.
        try await gracefulShutdown()
    }

    private func listen(
        after pause: TimeAmount? = nil, _ answer: @escaping @Sendable (_ path: String) -> String
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(AnswerHandler(after: pause, answer))
                }
            }
    }
}

/// The received calls.
private final class ReceivedCalls: Sendable {
    private struct State {
        var count = 0
        /// The delays in microseconds since they were last read.
        var delays: [Int] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Records the head of a request. Returns the answer.
    func came(_ path: String) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let sent = path.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { Int(path[$0...].dropFirst()) }
        state.withLock { state in
            state.count += 1
            if let sent { state.delays.append(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000 - sent * 1_000) }
        }
        return #"{"id":"r-1"}"#
    }

    func takeDelays() -> String {
        let delays = state.withLock { state in
            defer { state.delays = [] }
            return state.delays
        }
        return delays.map(String.init).joined(separator: " ")
    }
}

/// Answers the requests of a connection, one after another.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pause: TimeAmount?
    private let answer: (String) -> String
    private var text = ""

    init(after pause: TimeAmount?, _ answer: @escaping (String) -> String) {
        self.pause = pause
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): text = answer(head.uri)
        case .body: break
        case .end:
            guard let pause else { return write(context) }
            context.eventLoop.assumeIsolated().scheduleTask(in: pause) { self.write(context) }
        }
    }

    private func write(_ context: ChannelHandlerContext) {
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(text.utf8.count)"]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
