import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import WorkflowAPI

/// An answer that is there as a whole.
struct WholeAnswer {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ByteBuffer
}

extension WholeAnswer {
    /// Whether it is counted before it is handed to its connection.
    var isLarge: Bool { body.readableBytes > AnswerLimits.smallBytes }

    /// A JSON answer.
    init(_ body: some JSONWritable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json"
        self.init(status: status, headers: headers, body: ByteBuffer(bytes: JSONWriter.bytes(body)))
    }

    /// An error answer.
    init(problem: Problem, headers: HTTPFields = [:]) {
        self.init(problem, status: HTTPResponse.Status(code: problem.type.status), headers: headers)
        self.headers[.contentType] = Problem.mediaType
        self.headers[.retryAfter] = problem.type.retryAfterSeconds.map { String($0) }
    }
}

extension Response {
    init(_ answer: WholeAnswer) {
        self.init(status: answer.status, headers: answer.headers, body: ResponseBody(byteBuffer: answer.body))
    }

    /// A JSON answer.
    init(_ body: some JSONWritable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.init(WholeAnswer(body, status: status, headers: headers))
    }
}

extension AnswerBudget {
    /// Has an answer made that may be large: its bytes are reserved before anything is read for it.
    func page(_ make: () async throws -> Response) async throws -> Response {
        let share = try await reserve(AnswerLimits.pageBytes)
        return try await make().holding(share)
    }
}

extension Response {
    /// The same answer, which holds a share of the budget until it is handed to its connection.
    func holding(_ share: AnswerBudget.Share) -> Response {
        guard let bytes = body.contentLength, bytes > AnswerLimits.smallBytes else { return self }
        share.resize(to: bytes)
        var response = self
        response.body = ResponseBody(contentLength: bytes) { [body] writer in
            try await body.write(writer)
            withExtendedLifetime(share) {}
        }
        return response
    }
}
