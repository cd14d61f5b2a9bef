import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import WorkflowAPI

extension Response {
    /// A JSON answer.
    init(_ body: some JSONWritable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(json: body)))
    }

    /// An error answer.
    init(problem: Problem, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = Problem.mediaType
        headers[.retryAfter] = problem.type.retryAfterSeconds.map { String($0) }
        self.init(
            status: HTTPResponse.Status(code: problem.type.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(json: problem)))
    }
}

extension ByteBuffer {
    fileprivate init(json: some JSONWritable) {
        self.init(bytes: JSONWriter.bytes(json))
    }
}
