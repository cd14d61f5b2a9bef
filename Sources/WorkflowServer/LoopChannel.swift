import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 connections whose requests are carried out on the event loop that reads them.
struct LoopChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let executors: EventLoopExecutors

    init(_ http: HTTP1Channel, executors: EventLoopExecutors) {
        self.http = http
        self.executors = executors
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.executor(of: value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}

extension HTTPServerBuilder {
    /// HTTP/1.1, each connection on its event loop.
    static func onLoops(_ configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
        let executors = EventLoopExecutors()
        return HTTPServerBuilder { responder in
            LoopChannel(HTTP1Channel(responder: responder, configuration: configuration), executors: executors)
        }
    }
}
