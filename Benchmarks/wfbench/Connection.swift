import Foundation

/// A blocking HTTP/1.1 connection over a unix socket, as cheap as can be, so that the client is not what is measured.
final class Connection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    init(socket path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if !connected {
            close(descriptor)
            throw BenchmarkError("cannot connect to \(path)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and reads its answer whole.
    func expect(_ status: Int, for request: [UInt8]) throws {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchmarkError("the request was not sent")
        }
        var answer: [UInt8] = []
        var length: Int?
        repeat {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchmarkError("the connection was closed") }
            answer += buffer[..<count]
            length = length ?? Self.length(of: answer)
        } while answer.count < length ?? .max
        guard answer.starts(with: "HTTP/1.1 \(status)".utf8) else {
            throw BenchmarkError("unexpected answer: " + String(decoding: answer, as: UTF8.self))
        }
    }

    /// The length of head and body; nil while the head is not whole.
    private static func length(of answer: [UInt8]) -> Int? {
        guard let head = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: answer[..<head.lowerBound], as: UTF8.self).lowercased()
        guard let field = text.firstRange(of: "content-length: ") else { return head.upperBound }
        return head.upperBound + (Int(text[field.upperBound...].prefix { $0.isNumber }) ?? 0)
    }
}

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
