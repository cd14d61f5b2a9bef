import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import WorkflowAPI

/// An event that was sent to the daemon that owns the data, from the event loop that read it.
///
/// Only the ordinary case ends here. Whatever needs another look at the owner goes on to the router, and from there
/// through `Forwarder.answer`.
final class ForwardedSend {
    enum End {
        case answered(WholeAnswer)
        case refused(Problem)
        /// The router takes the request: this attempt changed nothing, or the request has a key.
        case passedOn
    }

    private let forwarder: Forwarder
    private let address: PeerAddress
    private let loop: any EventLoop
    private let isKeyed: Bool
    private var ended: ((End) -> Void)?
    private var exchange: PeerExchange?
    private var watch: Scheduled<Void>?

    /// - Parameter ended: Called once on the event loop, unless the caller leaves before.
    fileprivate init(
        _ forwarder: Forwarder, to address: PeerAddress, on loop: any EventLoop, isKeyed: Bool,
        ended: @escaping (End) -> Void
    ) {
        (self.forwarder, self.address, self.loop) = (forwarder, address, loop)
        (self.isKeyed, self.ended) = (isKeyed, ended)
    }

    fileprivate func begin(_ head: HTTPRequestHead, _ body: ByteBuffer) {
        let exchange = PeerExchange(head, body) { [self] outcome in take(outcome) }
        self.exchange = exchange
        look(in: TimeAmount(ForwardLimits.unwatched))
        forwarder.connections.begin(exchange, with: address, on: loop)
    }

    /// Ends the exchange, because the caller has left.
    func cancel() {
        ended = nil
        exchange?.cancel()
    }

    private func take(_ outcome: PeerExchange.Outcome) {
        watch?.cancel()
        exchange = nil
        if ended == nil { return }
        switch outcome {
        case .answered(let head, _) where head.headers.contains(name: HTTPField.Name.notOwner.rawName):
            end(.passedOn)
        case .answered(let head, let body):
            forwarder.counts.add(.forwarded)
            let fields = ForwardedFields.answer(HTTPFields(head.headers, splitCookie: false), isHead: false)
            let status = HTTPResponse.Status(code: Int(head.status.code))
            end(.answered(WholeAnswer(status: status, headers: fields, body: body)))
        case .unsent: end(.passedOn)
        case .broken where isKeyed && !forwarder.isStopping: lookAgain()
        case .broken:
            forwarder.counts.add(.forwarded)
            forwarder.counts.add(.unknown)
            end(.refused(Forwarder.unknown(address)))
        }
    }

    private func end(_ end: End) {
        let call = ended
        ended = nil
        call?(end)
    }

    /// Lets the router send a request with a key again, after another look at the owner.
    private func lookAgain() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        // Awaited by the connection, whose input is held meanwhile; a look ends within 2 s.
        Task { [forwarder, address, loop] in
            if case .peer = await forwarder.directory.look(after: .peer(address)) { forwarder.counts.add(.retried) }
            loop.execute { bound.value.end(.passedOn) }
        }
    }

    /// Looks now and then whether the data is still there. An owner that lost it may never answer.
    private func look(in time: TimeAmount) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        watch = loop.scheduleTask(in: time) { bound.value.look() }
    }

    private func look() {
        guard forwarder.isStopping || forwarder.directory.place != .peer(address) else {
            return look(in: TimeAmount(ForwardLimits.look))
        }
        let bound = NIOLoopBound(self, eventLoop: loop)
        watch = loop.scheduleTask(in: TimeAmount(ForwardLimits.grace)) { bound.value.exchange?.cancel() }
    }
}

extension Forwarder {
    /// Sends an event to a daemon, on the event loop that read it.
    func send(
        _ request: HTTPRequest, _ body: ByteBuffer, of caller: ForwardedCaller, to address: PeerAddress,
        on loop: any EventLoop, ended: @escaping (ForwardedSend.End) -> Void
    ) throws(Problem) -> ForwardedSend {
        let target = try ForwardedFields.target(path: request.path ?? "/", query: nil)
        var headers = HTTPHeaders(ForwardedFields.request(request.headerFields, of: caller))
        headers.add(name: "Host", value: "\(address)")
        headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        let send = ForwardedSend(
            self, to: address, on: loop, isKeyed: request.headerFields[.idempotencyKey] != nil, ended: ended)
        send.begin(HTTPRequestHead(version: .http1_1, method: .POST, uri: target, headers: headers), body)
        return send
    }
}
