/// The bytes of requests.
enum HTTPRequestText {
    static func get(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: wfd\r\n\r\n".utf8)
    }

    static func post(_ path: String, _ body: String) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: wfd\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }
}
