import EngineFloor
import NIOCore
import NIOPosix
import NIOSSL

/// Clients over TCP that send one request after another, each over its own connection, with TLS or without; all of
/// them on one event loop. Both sides of a contest have them, since `ClosedLoad` knows no TLS.
final class TCPLoad: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let clients: NIOLoopBound<Clients>

    /// Connects all clients to a port of this machine.
    ///
    /// - Parameter tls: The context of TLS; `nil` for connections in the clear.
    init(port: Int, tls: NIOSSLContext?, clients count: Int, book: RequestBook) async throws {
        let loop = group.next()
        let clients = try await loop.submit { NIOLoopBound(Clients(book), eventLoop: loop) }.get()
        self.clients = clients
        let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil)) }
                try pipeline.addHandler(Client(clients.value, channel))
            }
        }
        let deadline = ContinuousClock.now + .seconds(20)
        for _ in 0..<count {
            while true {
                do {
                    _ = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
                    break
                } catch  where .now < deadline {
                    // The daemon listens on this address a moment after its socket.
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }
    }

    /// Runs for a time.
    func run(seconds: Double) async throws -> Sample {
        let loop = group.next()
        return try await loop.flatSubmit { [clients] in clients.value.run(seconds: seconds, on: loop) }.get()
    }

    /// Closes the connections.
    func close() async throws { try await group.shutdownGracefully() }
}

/// The clients of one load, and what they have measured.
private final class Clients {
    var book: RequestBook
    var all: [Client] = []
    private var latencies = Latencies()
    private var begin: UInt64 = 0
    private var end: UInt64 = 0
    private var last: UInt64 = 0
    private var underWay = 0
    private var promise: EventLoopPromise<Sample>?

    init(_ book: RequestBook) { self.book = book }

    func run(seconds: Double, on loop: any EventLoop) -> EventLoopFuture<Sample> {
        let promise = loop.makePromise(of: Sample.self)
        self.promise = promise
        latencies = Latencies()
        begin = nanoseconds()
        (end, last, underWay) = (begin + UInt64(seconds * 1e9), begin, all.count)
        for client in all { client.send() }
        return promise.futureResult
    }

    /// Records an answer. Returns false if the time is over.
    func answered(since: UInt64) -> Bool {
        let now = nanoseconds()
        if now < end {
            latencies.record(now - since)
            last = now
            return true
        }
        underWay -= 1
        if underWay == 0 {
            let rate = Double(latencies.count) / (Double(max(last - begin, 1)) / 1e9)
            promise?.succeed(Sample(value: rate, note: latencies.percentilesText))
            promise = nil
        }
        return false
    }

    func failed(_ error: any Error) {
        promise?.fail(error)
        promise = nil
    }
}

/// One connection with at most one request under way.
private final class Client: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let clients: Clients
    private let channel: any Channel
    private var since: UInt64 = 0
    private var answer = ByteBuffer()

    init(_ clients: Clients, _ channel: any Channel) {
        (self.clients, self.channel) = (clients, channel)
        clients.all.append(self)
    }

    func send() {
        since = nanoseconds()
        let request = clients.book.next { channel.allocator.buffer(bytes: $0) }
        channel.writeAndFlush(request, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if answer.readableBytes == 0 { answer = part } else { answer.writeBuffer(&part) }
        guard let head = answer.withUnsafeReadableBytes(AnswerHead.init),
            answer.readableBytes >= head.length + head.contentLength
        else { return }
        guard head.status == 200 else {
            return clients.failed(BenchmarkError("unexpected answer: \(String(buffer: answer))"))
        }
        answer = ByteBuffer()
        if clients.answered(since: since) { send() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        clients.failed(BenchmarkError("the server closed a connection"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { clients.failed(error) }
}
