import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowJSON

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
    /// Has an answer about one thing made: a small one also when the budget is spent.
    ///
    /// - Parameter others: The bytes that such answers are made in then.
    func single(within others: AnswerBudget, _ make: () async throws -> Response) async throws -> Response {
        if let share = share(of: AnswerLimits.pageBytes) { return try await make().holding(share) }
        let place = try await others.reserve(AnswerLimits.pageBytes)
        defer { withExtendedLifetime(place) {} }
        let response = try await make()
        guard let bytes = response.largeBytes else { return response }
        guard let share = share(of: bytes) else { throw Self.spent }
        return response.holding(share)
    }

    /// Has an answer made that may be large: its bytes are reserved before anything is read for it.
    func page(_ make: () async throws -> Response) async throws -> Response {
        let share = try await reserve(AnswerLimits.pageBytes)
        return try await make().holding(share)
    }
}

extension Response {
    /// How many bytes the body has, if that is so large that it is counted.
    fileprivate var largeBytes: Int? { body.contentLength.flatMap { $0 > AnswerLimits.smallBytes ? $0 : nil } }

    /// The same answer, which holds a share of the budget until it is handed to its connection.
    func holding(_ share: AnswerBudget.Share) -> Response {
        guard let bytes = largeBytes else { return self }
        share.resize(to: bytes)
        var response = self
        response.body = ResponseBody(contentLength: bytes) { [body] writer in
            try await body.write(writer)
            withExtendedLifetime(share) {}
        }
        return response
    }
}
