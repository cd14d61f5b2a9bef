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
