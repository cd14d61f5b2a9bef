import Foundation
import ThreadTesting
package import WorkflowClient

/// A blocking HTTP/1.1 connection that sends arbitrary bytes. For one thread at a time.
///
/// `@unchecked Sendable`: a test passes it from thread to thread, and awaits each thread before the next.
package final class RawConnection: @unchecked Sendable {
    /// The seconds to wait for an answer, which may take long on a busy machine.
    private static let patience = 240
    private let descriptor: Int32
    /// The program that speaks TLS; `nil` for a connection in the clear.
    private let encryption: RunningProgram?
    private var unread: [UInt8] = []

    package init(to address: Address) throws {
        switch address {
        case .unix(let path): (descriptor, encryption) = (try Self.connected(toSocket: path), nil)
        case .tcp(let host, let port): (descriptor, encryption) = (try Self.connected(to: host, port: port), nil)
        case .tls(let host, let port):
            (descriptor, encryption) = try Self.encrypted(host, port, ["-verify_quiet", "-servername", host])
        }
        setPatience()
    }

    /// Connects with TLS 1.2 and a key that both ends know, as daemons do with each other.
    ///
    /// - Parameter key: The key in hexadecimal digits.
    package init(to host: String, port: Int, knowing key: String) throws {
        (descriptor, encryption) = try Self.encrypted(
            host, port, ["-tls1_2", "-cipher", "PSK", "-psk_identity", "test", "-psk", key])
        setPatience()
    }

    private static func encrypted(
        _ host: String, _ port: Int, _ options: [String]
    ) throws -> (Int32, RunningProgram) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestingError("cannot make a pair of sockets")
        }
        let arguments = ["s_client", "-quiet", "-connect", "\(host):\(port)"] + options
        return (ends[0], try RunningProgram("/usr/bin/openssl", arguments, conversingOn: ends[1]))
    }

    private func setPatience() {
        var time = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and reads its answer.
    package func answer(to request: RawRequest) throws -> RawAnswer {
        requireOwnThread()
        try write(request.bytes)
        return try readAnswer()
    }

    /// Sends bytes.
    package func write(_ bytes: [UInt8]) throws {
        requireOwnThread()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                // A server may refuse a request before it has read all of it; then its answer is there already.
                if errno == EPIPE || errno == ECONNRESET { return }
                throw TestingError("the request cannot be sent: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Sends bytes as long as the other side takes them: all of them, or until there was no room for some seconds.
    /// Returns the number of sent bytes.
    package func writeWhileTaken(_ bytes: [UInt8], patience seconds: Int) -> Int {
        requireOwnThread()
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    /// Lets the end of the connection be a reset (RFC 9293, 3.10.7): what was sent is there, and nobody reads on.
    package func resetAtEnd() {
        var time = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &time, socklen_t(MemoryLayout<linger>.size))
    }

    /// Closes the connection for writing; answers can still be read.
    package func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// True if the other side has closed the connection and everything was read. Waits for an answer or the end.
    package var isAtEnd: Bool {
        requireOwnThread()
        var byte: UInt8 = 0
        guard unread.isEmpty else { return false }
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// True if there is something to read, or the other side has closed the connection. Does not wait.
    package var isReadable: Bool {
        var byte: UInt8 = 0
        guard unread.isEmpty else { return true }
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Reads one answer; throws if the connection ends first.
    package func readAnswer() throws -> RawAnswer {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let head = unread.firstRange(of: end) {
                let answer = try Head(unread[..<head.lowerBound])
                if answer.isChunked {
                    unread.removeFirst(head.upperBound)
                    return RawAnswer(status: answer.status, headers: answer.headers, body: try readChunks())
                }
                while unread.count < head.upperBound + answer.length { try readMore() }
                let body = Array(unread[head.upperBound..<head.upperBound + answer.length])
                unread.removeFirst(head.upperBound + answer.length)
                return RawAnswer(status: answer.status, headers: answer.headers, body: body)
            }
            try readMore()
        }
    }

    /// Reads until a text has come, and returns everything up to its end.
    package func read(through text: String) throws -> String {
        while true {
            if let range = unread.firstRange(of: Array(text.utf8)) {
                defer { unread.removeFirst(range.upperBound) }
                return String(decoding: unread[..<range.upperBound], as: UTF8.self)
            }
            try readMore()
        }
    }

    /// Reads until the other side closes the connection.
    package func readToEnd() throws -> String {
        while !hasEnded { try readMore() }
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// True if the other side has closed the connection. Waits for the end, or for more to read.
    private var hasEnded: Bool {
        requireOwnThread()
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// Reads the head of an answer with a chunked body. An answer with another body is read to its end.
    package func readHead() throws -> (status: Int, headers: [String: String]) {
        let end = Array("\r\n\r\n".utf8)
        while unread.firstRange(of: end) == nil { try readMore() }
        guard let range = unread.firstRange(of: end) else { throw TestingError("an answer without a head") }
        let head = try Head(unread[..<range.lowerBound])
        unread.removeFirst(range.upperBound)
        if !head.isChunked {
            while unread.count < head.length { try readMore() }
            unread.removeFirst(head.length)
        }
        return (head.status, head.headers)
    }

    /// Reads a chunk of a body (RFC 9112, section 7.1). The chunk is empty at the end of the body.
    package func readChunk() throws -> [UInt8] {
        let newline = Array("\r\n".utf8)
        while unread.firstRange(of: newline) == nil { try readMore() }
        guard let end = unread.firstRange(of: newline),
            let size = Int(String(decoding: unread[..<end.lowerBound], as: UTF8.self), radix: 16)
        else { throw TestingError("a chunk without its size") }
        while unread.count < end.upperBound + size + 2 { try readMore() }
        let chunk = Array(unread[end.upperBound..<end.upperBound + size])
        unread.removeFirst(end.upperBound + size + 2)
        return chunk
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let chunk = try readChunk()
            if chunk.isEmpty { return body }
            body += chunk
        }
    }

    private func readMore() throws {
        requireOwnThread()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { return }
        guard count > 0 else {
            let reason = count == 0 ? "it was closed" : String(cString: strerror(errno))
            throw TestingError("no answer on the connection: \(reason)")
        }
        unread += buffer[..<count]
    }

    /// The head of an answer.
    private struct Head {
        let status: Int
        let headers: [String: String]
        var isChunked: Bool { headers["transfer-encoding"] == "chunked" }
        var length: Int { headers["content-length"].flatMap { Int($0) } ?? 0 }

        init(_ bytes: ArraySlice<UInt8>) throws {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
                throw TestingError("no answer in HTTP: \(lines.first ?? "")")
            }
            self.status = status
            let pairs = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
            headers = Dictionary(
                pairs.map { ($0[0].lowercased(), $0[1].trimmingCharacters(in: .whitespaces)) }, uniquingKeysWith: { $1 }
            )
        }
    }
}

extension RawConnection {
    private static func connected(toSocket path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return try connected(AF_UNIX, &address, named: path)
    }

    private static func connected(to host: String, port: Int) throws -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw TestingError("'\(host)' is no IPv4 address")
        }
        return try connected(AF_INET, &address, named: "\(host):\(port)")
    }

    private static func connected<Address>(_ family: Int32, _ address: inout Address, named name: String) throws
        -> Int32
    {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        guard isConnected else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw TestingError("cannot connect to '\(name)': \(reason)")
        }
        return descriptor
    }
}
