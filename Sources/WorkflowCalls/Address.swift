/// The address on which a daemon listens.
public enum Address: Hashable, Sendable {
    /// A unix socket.
    case unix(path: String)
    /// TCP without encryption.
    case tcp(host: String, port: Int)
    /// TCP with TLS. The certificate must be for the host.
    case tls(host: String, port: Int)

    /// The largest number of bytes of a socket's path: `sun_path` has 108 on Linux, including the terminator (unix(7)).
    private static let longestSocketPath = 107

    /// Parses `unix:PATH`, `https://HOST`, `https://HOST:PORT`, `http://HOST:PORT` or `HOST:PORT`. An IPv6 address
    /// is in brackets.
    public init(_ text: String) throws(AddressError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { throw AddressError(text, "the path after 'unix:' is empty") }
            guard path.utf8.count <= Self.longestSocketPath else {
                throw AddressError(text, "a socket's path has at most \(Self.longestSocketPath) bytes")
            }
            self = .unix(path: path)
            return
        }
        var rest = text[...]
        let scheme = ["https://", "http://"].first { rest.hasPrefix($0) }
        if let scheme {
            rest = rest.dropFirst(scheme.count)
            if rest.hasSuffix("/") { rest = rest.dropLast() }
        }
        let isEncrypted = scheme == "https://"
        guard let colon = rest.lastIndex(of: ":"), !isEncrypted || !rest.hasSuffix("]") else {
            guard isEncrypted else {
                throw AddressError(text, "expected unix:PATH, https://HOST[:PORT], http://HOST:PORT or HOST:PORT")
            }
            // RFC 9110, 4.2.2.
            self = .tls(host: try Self.host(rest, in: text), port: 443)
            return
        }
        guard let port = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(port) else {
            throw AddressError(text, "the port must be a number from 1 to 65535")
        }
        let host = try Self.host(rest[..<colon], in: text)
        self = isEncrypted ? .tls(host: host, port: port) : .tcp(host: host, port: port)
    }

    private static func host(_ host: Substring, in text: String) throws(AddressError) -> String {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            guard !inner.isEmpty, inner.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw AddressError(text, "'\(host)' is not an IPv6 address")
            }
            return String(inner)
        }
        let isName = host.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "-._".contains(character))
        }
        guard !host.isEmpty, isName else {
            throw AddressError(text, "'\(host)' is not the name or the address of a host")
        }
        return String(host)
    }
}

extension Address: CustomStringConvertible {
    /// The form that `init(_:)` parses.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): "http://\(Self.bracketed(host)):\(port)"
        case .tls(let host, let port): "https://\(Self.bracketed(host)):\(port)"
        }
    }

    /// True if nobody between the two ends can read what is sent: it is encrypted, or stays on this machine.
    var isConfidential: Bool {
        guard case .tcp(let host, _) = self else { return true }
        // Proof: `UInt8` reads a text, and is nil for another one.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isLoopback = numbers.count == 4 && numbers.first == 127 && !numbers.contains(nil)
        return host == "localhost" || host == "::1" || isLoopback
    }

    static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}

/// The reason why a text is not an address of a daemon.
public struct AddressError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ text: String, _ reason: String) {
        description = "Cannot use the address '\(text)': \(reason)"
    }
}
