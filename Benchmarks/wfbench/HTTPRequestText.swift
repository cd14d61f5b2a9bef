/// Makes the bytes of requests.
enum HTTPRequestText {
    static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: wfd\r\n\r\n".utf8)
    }

    static func post(_ path: String, _ body: String, type: String = "application/json") -> [UInt8] {
        request("POST", path, body, type: type)
    }

    static func patch(_ path: String, _ body: String) -> [UInt8] {
        request("PATCH", path, body, type: "application/json")
    }

    private static func request(_ method: String, _ path: String, _ body: String, type: String) -> [UInt8] {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: wfd\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }
}
