import ThreadTesting
package import WorkflowJSON

/// A request as its bytes are sent, correct or not.
package struct RawRequest: Sendable {
    package var method: String
    package var target: String
    /// The values of `Host`; one by default, as in every correct request.
    package var hosts = ["localhost"]
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]?

    package init(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Returns a POST with a body of a media type.
    package static func post(
        _ target: String, _ body: String, as mediaType: String? = "application/json",
        headers: [(name: String, value: String)] = []
    ) -> RawRequest {
        let type = mediaType.map { [(name: "Content-Type", value: $0)] } ?? []
        return RawRequest("POST", target, headers: type + headers, body: Array(body.utf8))
    }

    /// Returns a GET.
    package static func get(_ target: String) -> RawRequest { RawRequest("GET", target) }

    /// The bytes to send. They include the length of the body, unless `headers` has the length or a transfer coding.
    package var bytes: [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for host in hosts { head += "Host: \(host)\r\n" }
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        let tellsLength = headers.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        if let body, !tellsLength { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}

/// An answer, read to its end.
package struct RawAnswer: Sendable {
    package let status: Int
    /// The headers, with names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The status, type and detail of a problem, as `404 machine-not-found: There is no …`.
    package var told: String {
        get throws {
            let problem = try object
            return "\(status) \(problem["type"]?.string ?? ""): \(problem["detail"]?.string ?? "")"
        }
    }

    /// The body as a JSON object.
    package var object: JSONObject {
        get throws {
            guard let object = try JSONReader.value(from: body).object else {
                throw TestingError("the answer is no object: \(text)")
            }
            return object
        }
    }
}
