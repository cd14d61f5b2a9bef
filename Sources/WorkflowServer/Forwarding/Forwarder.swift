import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import WorkflowAPI

/// Forwards requests to the daemon that owns the data, as the HTTP requests that they were.
///
/// A daemon has one forwarder for all its addresses. A request goes one hop: the owner gets it on its address for other
/// daemons, and carries it out or refuses it.
package final class Forwarder: Sendable {
    let directory: any RequestDirectory
    let counts = ForwardCounts()
    /// The connections for events that are forwarded without a task.
    let connections: PeerConnections
    private let client: PeerClient
    private let stopping = Atomic(false)

    /// - Parameters:
    ///   - directory: The directory that knows the owner.
    ///   - secret: The secret that the daemons share.
    ///   - limits: The limits of this daemon's addresses; as many requests can be forwarded at once as one of them has
    ///     connections.
    package init(directory: any RequestDirectory, secret: PeerSecret, limits: ServerLimits = ServerLimits()) {
        self.directory = directory
        connections = PeerConnections(secret: secret)
        client = PeerClient(secret: secret, connections: limits.connections)
    }

    /// True if the daemon was told to stop.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Notes that the daemon was told to stop: events that wait for another daemon end soon.
    func stop() { stopping.store(true, ordering: .relaxed) }

    /// Answers a request with the owner's answer, or by the handler if this daemon has become the owner.
    func answer(_ request: RoutedRequest, orHere handler: RouteHandlers.Handler) async throws -> Response {
        counts.add(.forwarded)
        let message = try await message(of: request)
        do {
            let response = try await response(to: request, message, orHere: handler)
            return message.body.map(response.ending) ?? response
        } catch {
            await message.body?.end()
            if (error as? Problem)?.type == .partitionMoving { counts.add(.moving) }
            if (error as? Problem)?.type == .outcomeUnknown { counts.add(.unknown) }
            throw error
        }
    }

    private func response(
        to request: RoutedRequest, _ message: PeerClient.Message, orHere handler: RouteHandlers.Handler
    ) async throws -> Response {
        var place = directory.place
        var looks = 0
        var reason = "no daemon has it"
        // True if an attempt may have been carried out.
        var isInDoubt = false
        while true {
            switch place {
            case .here:
                guard let body = message.body else { return try await handler(request) }
                guard body.isKept else { throw Self.moving(reason) }
                return try await handler(
                    request.replacing(RequestBody(asyncSequence: ForwardedBody.Attempt(body))))
            case .nowhere: break
            case .peer(let address):
                switch try await sent(message, to: address, for: request) {
                case .answered(let answer): return response(answer, from: address, to: request)
                case .refused: reason = "the daemon at \(address) does not have it"
                case .unsent: reason = "the daemon at \(address) cannot be reached"
                case .broken:
                    guard request.isRepeatable, message.body?.isKept ?? true else { throw Self.unknown(address) }
                    reason = "the daemon at \(address) did not answer"
                    if !request.isSafe { isInDoubt = true }
                }
                guard message.body?.isKept ?? true else { throw Self.moving(reason) }
            }
            guard looks < ForwardLimits.looks else { break }
            looks += 1
            let former = place
            place = await directory.look(after: former)
            try request.requireAdmission()
            if place == .nowhere, former == .nowhere { break }
            if case .peer = place, case .peer = former { counts.add(.retried) }
        }
        if isInDoubt, case .peer(let address) = place { throw Self.unknown(address) }
        throw isInDoubt ? Self.unknown(nil) : Self.moving(reason)
    }

    private static func moving(_ reason: String) -> Problem {
        Problem(
            .partitionMoving, detail: "The data is being taken over (\(reason)); nothing was changed. Send it again")
    }

    static func unknown(_ address: PeerAddress?) -> Problem {
        let daemon = address.map { "the daemon at \($0)" } ?? "the daemon that had the request"
        return Problem(
            .outcomeUnknown,
            detail: "The connection to \(daemon) ended before its answer: the request may have been carried out or not")
    }
}

// MARK: One exchange

extension Forwarder {
    /// The end of an exchange before the other daemon has ended it.
    private enum Ended: Error {
        case callerLeft, hasMoved, isStopping
    }

    private func message(of request: RoutedRequest) async throws -> PeerClient.Message {
        let uri = request.request.uri
        let target = try ForwardedFields.target(path: uri.path, query: uri.query)
        let caller = ForwardedCaller(request.caller, request.identity)
        let body: ForwardedBody?
        switch request.route.body {
        case .none: body = nil
        case .lines, .objectOrLines:
            body =
                request.head.mediaTypeName == LineStream.mediaType
                ? ForwardedBody(arriving: request.request.body) : ForwardedBody(whole: try await request.wholeBody())
        case .object, .value, .definition: body = ForwardedBody(whole: try await request.wholeBody())
        }
        return PeerClient.Message(
            method: request.head.method, target: target,
            fields: ForwardedFields.request(request.head.headerFields, of: caller), body: body)
    }

    private func sent(
        _ message: PeerClient.Message, to address: PeerAddress, for request: RoutedRequest
    ) async throws -> PeerClient.Outcome {
        do {
            return try await watched(request, at: address) { [client] in try await client.send(message, to: address) }
        } catch Ended.hasMoved {
            return .broken(Ended.hasMoved)
        } catch Ended.isStopping {
            guard request.isSafe else { throw Self.unknown(address) }
            throw Problem(.draining, detail: "The daemon is stopping; send the request to another one")
        } catch Ended.callerLeft {
            throw Problem(.requestTimeout, detail: "The caller has closed its connection")
        } catch let refusal as BodyRefusal {
            throw refusal.problem
        } catch  where message.body?.failure != nil {
            throw Problem(.invalidRequest, detail: "The body cannot be read to its end")
        }
    }

    private func response(_ answer: PeerAnswer, from address: PeerAddress, to request: RoutedRequest) -> Response {
        switch answer.content {
        case .whole(let bytes) where request.head.method == .head || bytes.readableBytes == 0:
            return Response(status: answer.status, headers: answer.fields)
        case .whole(let bytes):
            return Response(status: answer.status, headers: answer.fields, body: ResponseBody(byteBuffer: bytes))
        case .arriving(let parts, let length):
            let body = ResponseBody(contentLength: length) { [self] writer in
                // Proof: the child of `watched` alone uses it, and has ended when `watched` returns.
                nonisolated(unsafe) var taken = writer
                do {
                    try await watched(request, at: address) {
                        for try await part in parts { try await taken.write(part) }
                    }
                } catch let ended as Ended {
                    // A stream may end at any place: its reader goes on from there, at another daemon.
                    guard case .events = request.route.answer, ended != .callerLeft else { throw ended }
                }
                writer = taken
                try await writer.finish(nil)
            }
            return Response(status: answer.status, headers: answer.fields, body: body)
        }
    }

    /// Runs a part of an exchange with a daemon. It ends early when the caller leaves, and some time after the data has
    /// moved to another daemon or this daemon was told to stop.
    private func watched<Value: Sendable>(
        _ request: RoutedRequest, at address: PeerAddress, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask { [self] in
                // Most requests are answered by then, and cost no more.
                try await Task.sleep(for: ForwardLimits.unwatched)
                throw try await end(of: request, at: address)
            }
            while let value = try await group.next() {
                if let value { return value }
            }
            // Proof: the first child returns a value or throws.
            throw CancellationError()
        }
    }

    /// Returns the reason when an exchange must end; throws when the task is cancelled.
    private func end(of request: RoutedRequest, at address: PeerAddress) async throws -> Ended {
        try await withThrowingTaskGroup(of: Ended.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await request.connection.untilCallerLeaves()
                return .callerLeft
            }
            group.addTask { [directory] in
                while directory.place == .peer(address) { try await Task.sleep(for: ForwardLimits.look) }
                try await Task.sleep(for: ForwardLimits.grace)
                return .hasMoved
            }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: ForwardLimits.grace)
                return .isStopping
            }
            guard let ended = try await group.next() else { throw CancellationError() }
            return ended
        }
    }
}

extension RoutedRequest {
    /// True if the request changes nothing.
    fileprivate var isSafe: Bool { head.method == .get || head.method == .head || route.permission == .read }

    /// True if the request has the same effect when it is carried out twice.
    fileprivate var isRepeatable: Bool { isSafe || head.headerFields[.idempotencyKey] != nil }
}

extension Response {
    /// Returns the answer, after which the body of its request is not read any more.
    fileprivate func ending(_ request: ForwardedBody) -> Response {
        var response = self
        let body = self.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            do {
                try await body.write(writer)
            } catch {
                await request.end()
                throw error
            }
            await request.end()
        }
        return response
    }
}
