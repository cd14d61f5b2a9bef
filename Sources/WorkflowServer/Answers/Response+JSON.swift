import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowJSON

/// An answer that is complete in memory.
struct WholeAnswer {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: ByteBuffer
}

extension WholeAnswer {
    /// True if the answer is counted before it is handed to its connection.
    var isLarge: Bool { body.readableBytes > AnswerLimits.smallBytes }

    /// Creates a JSON answer.
    init(_ body: some JSONWritable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json"
        self.init(status: status, headers: headers, body: ByteBuffer(bytes: JSONWriter.bytes(body)))
    }

    /// Creates an error answer.
    init(problem: Problem, headers: HTTPFields = [:]) {
        self.init(problem, status: HTTPResponse.Status(code: problem.type.status), headers: headers)
        self.headers[.contentType] = Problem.mediaType
        if problem.type == .unauthenticated { self.headers[.wwwAuthenticate] = "Bearer" }
        self.headers[.retryAfter] = problem.type.retryAfterSeconds.map { String($0) }
    }
}

extension Response {
    init(_ answer: WholeAnswer) {
        self.init(status: answer.status, headers: answer.headers, body: ResponseBody(byteBuffer: answer.body))
    }

    /// Creates a JSON answer.
    init(_ body: some JSONWritable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.init(WholeAnswer(body, status: status, headers: headers))
    }
}

extension AnswerBudget {
    /// Makes an answer about one instance; a small answer is made even if the budget is spent.
    ///
    /// - Parameter others: The budget in which answers are made while this budget is spent.
    func single(within others: AnswerBudget, _ make: () async throws -> Response) async throws -> Response {
        if let share = share(of: AnswerLimits.pageBytes) { return try await make().holding(share) }
        let place = try await others.reserve(AnswerLimits.pageBytes)
        defer { withExtendedLifetime(place) {} }
        let response = try await make()
        guard let bytes = response.largeBytes else { return response }
        guard let share = share(of: bytes) else { throw Self.spent }
        return response.holding(share)
    }

    /// Makes an answer that may be large, and reserves its bytes before anything is read for it.
    func page(_ make: () async throws -> Response) async throws -> Response {
        let share = try await reserve(AnswerLimits.pageBytes)
        return try await make().holding(share)
    }
}

extension Response {
    /// The bytes of the body; `nil` if the body is too small to be counted.
    fileprivate var largeBytes: Int? { body.contentLength.flatMap { $0 > AnswerLimits.smallBytes ? $0 : nil } }

    /// Returns the same answer, which holds a share of the budget until it is handed to its connection.
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
