import Foundation

/// The address on which a server listens.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    case unix(path: String)
    /// An IP address; `localhost` is read as 127.0.0.1.
    case tcp(host: String, port: Int)

    /// Parses `unix:PATH` or `HOST:PORT` (`[::1]:8080` for IPv6).
    package init(_ text: String) throws(ListenAddressError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { throw ListenAddressError(text, "the path is missing; write unix:PATH") }
            guard !path.hasSuffix("/") else { throw ListenAddressError(text, "the path is that of a folder") }
            // sun_path holds 108 bytes with its terminating zero (unix(7)).
            guard path.utf8.count <= 107 else {
                throw ListenAddressError(text, "the path has \(path.utf8.count) bytes; a socket's path has at most 107")
            }
            self = .unix(path: path)
            return
        }
        // Proof: `UInt16` reads a text, and is nil for a number that does not fit.
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ListenAddressError(text, "write unix:PATH or HOST:PORT")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        guard Self.isLoopback(host) != nil else {
            throw ListenAddressError(
                text, "'\(host)' is no IP address; write one, such as 127.0.0.1, [::1] or 0.0.0.0, or localhost")
        }
        self = .tcp(host: host, port: Int(port))
    }

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// True if only this machine reaches the address.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): Self.isLoopback(host) == true
        }
    }

    /// True for a TCP address that only this machine reaches.
    package var isLoopback: Bool {
        if case .unix = self { false } else { isLocal }
    }

    /// Returns true for a loopback address; `nil` for text that is no IP address.
    private static func isLoopback(_ host: String) -> Bool? {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return nil }
        return withUnsafeBytes(of: six) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
    }
}

/// The error that an address to listen on is refused.
package struct ListenAddressError: Error, CustomStringConvertible {
    package let description: String

    package init(_ address: String, _ reason: String) {
        description = "Cannot listen on '\(address)': \(reason)"
    }
}
