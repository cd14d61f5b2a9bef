/// The address on which a daemon listens.
public enum Address: Hashable, Sendable {
    /// A unix socket.
    case unix(path: String)
    /// TCP without encryption.
    case tcp(host: String, port: Int)

    /// The largest number of bytes of a socket's path: `sun_path` has 108 on Linux, including the terminator (unix(7)).
    private static let longestSocketPath = 107

    /// Parses `unix:PATH`, `http://HOST:PORT` or `HOST:PORT`; an IPv6 address is in brackets.
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
        if text.hasPrefix("https://") { throw AddressError(text, "wfd does not speak TLS; use http://") }
        var rest = text[...]
        if rest.hasPrefix("http://") {
            rest = rest.dropFirst("http://".count)
            if rest.hasSuffix("/") { rest = rest.dropLast() }
        }
        guard let colon = rest.lastIndex(of: ":") else {
            throw AddressError(text, "expected unix:PATH, http://HOST:PORT or HOST:PORT")
        }
        guard let port = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(port) else {
            throw AddressError(text, "the port must be a number from 1 to 65535")
        }
        self = .tcp(host: try Self.host(rest[..<colon], in: text), port: port)
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
        }
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
