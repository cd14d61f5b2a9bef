import EngineFloor

/// Begins sessions of the console.
enum ConsoleLogin {
    /// Begins a session with a token, and returns its cookie.
    static func cookie(for token: String, port: Int) throws -> String {
        let connection = try LoadConnection(UnixSocket.connect(toPort: port))
        defer { connection.close() }
        let form = "token=\(token)"
        let host = "127.0.0.1:\(port)"
        let head =
            "POST /console/login HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n"
        try connection.exchange(Array((head + form).utf8), status: 303)
        let text = connection.withAnswer { String(decoding: $0, as: UTF8.self) }
        guard let start = text.firstRange(of: "et-Cookie: ") ?? text.firstRange(of: "et-cookie: "),
            let end = text[start.upperBound...].firstIndex(of: ";")
        else { throw BenchmarkError("no cookie in '\(text.prefix(200))…'") }
        return String(text[start.upperBound..<end])
    }
}
