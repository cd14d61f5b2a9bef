import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// An answer that sends rows as they are written.
///
/// The stream reads the next rows when the system has taken the rows before. Far from the end of the journal, the
/// stream reads some parts ahead. Nothing further is read for a caller that does not read.
struct RowStream: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let limits: ServerLimits
    let connection: CallerConnection
    let rows: StreamRows
    /// Rings when there may be more rows, and when the stream should end.
    let bell: Bell
    let place: LastingAnswers.Place
    /// The number of recorded changes before the stream, which tells of later ones; `nil` if it tells of none.
    let known: Int64?

    /// The answer; the stream begins when the answer is handed to its connection.
    var response: Response {
        var headers: HTTPFields = [.contentType: EventStream.mediaType, .cacheControl: "no-store"]
        // Proxies that collect answers before they pass them on know this header.
        headers[.accelBuffering] = "no"
        let body = ResponseBody { [self] writer in
            var sender = Sender(writer: writer, connection: connection)
            defer { place.end() }
            do {
                try await offLoop(for: .usual) { try await run(&sender) }
            } catch {
                // The caller is gone and cannot receive the problem.
                if sender.isBroken { throw error }
                try await sender.send(StreamText.problem(Problem(inAnswer: error, engine.log)))
            }
            try await sender.writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Runs until the caller leaves or loses its place, the instance is gone, or the daemon stops.
    @concurrent private func run(_ sender: inout Sender) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await connection.untilCallerLeaves()
                bell.ring()
            }
            group.addTask { await ringRegularly() }
            group.addTask {
                try? await gracefulShutdown()
                await end()
            }
            group.addTask {
                await place.claim.untilLost()
                await end()
            }
            defer { group.cancelAll() }
            try await tell(&sender)
        }
    }

    @concurrent private func tell(_ sender: inout Sender) async throws {
        var rows = rows
        defer { rows.end() }
        var rings = bell.rings.makeAsyncIterator()
        var known = known
        try await sender.send(comment(rows.reached))
        while !connection.callerHasLeft, !Task.isShuttingDownGracefully {
            try place.claim.requireHeld()
            guard let part = try await part(&rows) else { return }
            if !part.texts.isEmpty {
                // The copied bytes are counted, not awaited: a stream must not wait for room while it holds rows to be
                // sent.
                let bytes = part.texts.reduce(0) { $0 + $1.count }
                let share = budget.counting(min(bytes, AnswerLimits.sentBytes))
                try await sender.send(part.texts)
                withExtendedLifetime((share, part)) {}
            } else if let number = known, number != engine.feed.recordedChanges {
                known = engine.feed.recordedChanges
                try await sender.send(StreamText.change)
            } else if sender.silence >= limits.streamSilence / 3 * 2 {
                try await sender.send(comment(rows.reached))
            }
            if !part.isLast { continue }
            if !part.texts.isEmpty { try await Task.sleep(for: pace) }
            // The bell has ended: a daemon that writes no more has no more rows.
            guard await rings.next(isolation: #isolation) != nil else { return }
        }
    }

    /// Returns the next rows; their bytes count among the bytes of all answers until they are sent.
    private func part(_ rows: inout StreamRows) async throws -> StreamRows.Part? {
        do {
            return try await rows.next()
        } catch let rejection as Rejection {
            throw Problem(rejection)
        }
    }

    private func comment(_ place: JournalPlace) -> [UInt8] {
        StreamText.comment(JournalCursor(generation: engine.generation, place: place))
    }

    /// The pause in which rows of several commits collect; more streams make the pause longer.
    private var pace: Duration { min(limits.streamPace.each * budget.lasting.streams, limits.streamPace.longest) }

    private func ringRegularly() async {
        while !Task.isCancelled {
            // The sleep is cancelled with the stream.
            try? await Task.sleep(for: limits.streamSilence / 3)
            bell.ring()
        }
    }

    /// Ends the stream, and cuts off a caller that does not read the stream's end. Cancelled with the stream.
    private func end() async {
        if Task.isCancelled { return }
        bell.ring()
        try? await Task.sleep(for: limits.streamEnding)
        if !Task.isCancelled { connection.cutOff() }
    }
}

extension RowStream {
    /// Hands text to the connection.
    fileprivate struct Sender {
        var writer: any ResponseBodyWriter
        let connection: CallerConnection
        /// True if the caller has disconnected.
        private(set) var isBroken = false
        private var last = ContinuousClock.now

        init(writer: any ResponseBodyWriter, connection: CallerConnection) {
            self.writer = writer
            self.connection = connection
        }

        /// The time since text was last sent.
        var silence: Duration { .now - last }

        /// Sends a text, and returns when the connection can take more. By then the system has taken all of a long
        /// text.
        @concurrent mutating func send(_ text: [UInt8]) async throws { try await send([text]) }

        /// Sends texts one after another. At most one buffer of bytes that the caller does not take is copied.
        @concurrent mutating func send(_ texts: [[UInt8]]) async throws {
            do {
                var rest = texts.reduce(0) { $0 + $1.count }
                let isLong = rest > AnswerLimits.smallBytes
                var buffer = ByteBuffer()
                for var text in texts.lazy.map({ $0[...] }) {
                    while !text.isEmpty {
                        if buffer.capacity == 0 { buffer.reserveCapacity(min(rest, AnswerLimits.sentBytes)) }
                        let part = text.prefix(AnswerLimits.sentBytes - buffer.readableBytes)
                        buffer.writeBytes(part)
                        text = text.dropFirst(part.count)
                        rest -= part.count
                        guard rest == 0 || buffer.readableBytes == AnswerLimits.sentBytes else { continue }
                        try await writer.write(buffer)
                        buffer = ByteBuffer()
                    }
                }
                if isLong { try await connection.allIsWritten() }
            } catch {
                isBroken = true
                throw error
            }
            last = .now
        }
    }
}

extension HTTPField.Name {
    fileprivate static let accelBuffering = known("X-Accel-Buffering")
}
