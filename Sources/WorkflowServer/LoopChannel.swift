import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 connections whose requests are carried out on the event loop that reads them.
struct LoopChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let executors: EventLoopExecutors
    private let sends: (@Sendable () -> SendHandler)?

    init(_ http: HTTP1Channel, executors: EventLoopExecutors, sends: (@Sendable () -> SendHandler)?) {
        self.http = http
        self.executors = executors
        self.sends = sends
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            if let sends {
                let pipeline = channel.pipeline.syncOperations
                // Behind the one that counts requests, closes idle connections, and lets answers out before it ends.
                let counting = try pipeline.handler(type: HTTPConnectionStateHandler.self)
                try pipeline.addHandler(sends(), position: .after(counting))
            }
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.executor(of: value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}

extension HTTPServerBuilder {
    /// HTTP/1.1, each connection on its event loop.
    ///
    /// - Parameter sends: Makes a handler for each connection that takes events before the responder.
    static func onLoops(
        _ configuration: HTTP1Channel.Configuration, sends: (@Sendable () -> SendHandler)?
    ) -> HTTPServerBuilder {
        let executors = EventLoopExecutors()
        return HTTPServerBuilder { responder in
            LoopChannel(
                HTTP1Channel(responder: responder, configuration: configuration), executors: executors, sends: sends)
        }
    }
}
