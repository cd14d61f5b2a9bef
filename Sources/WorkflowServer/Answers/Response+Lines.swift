import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON

extension Response {
    /// Creates an answer in lines, each sent when it is written.
    ///
    /// An error that `write` throws becomes the last line, because the status was sent before. When the caller
    /// disconnects, writing throws.
    ///
    /// - Parameter turn: The place of long work, which is given back at the end.
    init(
        lines log: OperatorLog, headers: HTTPFields = [:], turn: LongWork.Turn? = nil,
        for workplace: ExecutorKind = .longWork,
        _ write: @escaping @Sendable @concurrent (inout LineWriter) async throws -> Void
    ) {
        var headers = headers
        headers[.contentType] = LineStream.mediaType
        let body = ResponseBody { writer in
            var lines = LineWriter(writer, turn)
            defer { turn?.end() }
            do {
                try await offLoop(for: workplace) { try await write(&lines) }
            } catch {
                // The caller is gone and cannot receive the problem.
                if lines.isBroken { throw error }
                try await lines.write(LineStream.ProblemLine(Problem(inAnswer: error, log)))
            }
            writer = lines.writer
            try await writer.finish(nil)
        }
        self.init(status: .ok, headers: headers, body: body)
    }
}

/// Writes the lines of an answer.
struct LineWriter {
    fileprivate var writer: any ResponseBodyWriter
    /// True if the caller has disconnected.
    fileprivate private(set) var isBroken = false

    private let turn: LongWork.Turn?

    fileprivate init(_ writer: any ResponseBodyWriter, _ turn: LongWork.Turn?) {
        self.writer = writer
        self.turn = turn
    }

    /// Sends a line; waits while the caller does not read.
    @concurrent mutating func write(_ value: some JSONWritable) async throws {
        var text = JSONWriter(capacity: 256)
        value.write(to: &text)
        text.endLine()
        try await write(lines: text)
    }

    /// Sends lines at once; waits while the caller does not read.
    @concurrent mutating func write(lines text: JSONWriter) async throws {
        do {
            turn?.waitsForCaller()
            try await writer.write(ByteBuffer(bytes: text.bytes))
        } catch {
            isBroken = true
            throw error
        }
        try await turn?.goOn()
    }
}

extension Problem {
    /// Creates the problem for an error that occurs after the head of the answer was sent.
    init(inAnswer error: any Error, _ log: OperatorLog) {
        switch error {
        case let problem as Problem: self = problem
        case let rejection as Rejection: self.init(rejection)
        // The daemon is stopping, or the caller is gone.
        case is CancellationError: self.init(.draining, detail: "The daemon is stopping; send the rest again later")
        default:
            log.fault("\(error)")
            self.init(.internalError, detail: "The daemon could not answer; its log says why")
            return
        }
        log.tell(self)
    }
}
