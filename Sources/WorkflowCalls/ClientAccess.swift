import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The token that a client sends, and the authorities whose certificates it trusts.
public struct ClientAccess: Sendable, CustomStringConvertible, CustomReflectable {
    package let token: String?
    /// The settings of TLS, at least version 1.2 (RFC 8996).
    let tls: TLSConfiguration

    /// Trusts the authorities of the system and sends no token.
    public init() {
        (token, tls) = (nil, Self.tls(trusting: nil))
    }

    /// - Parameters:
    ///   - token: The token to send with each request; `nil` for none. White space around it is ignored.
    ///   - authorities: The file of the trusted authorities' certificates in PEM; `nil` for those of the system.
    public init(token: String?, authorities: String? = nil) throws(ClientAccessError) {
        if let token {
            let words = token.split(whereSeparator: \.isWhitespace)
            let text = words.first ?? ""
            // `b64token` of RFC 6750, 2.1.
            let isToken = text.utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return character.isASCII && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
            }
            guard isToken, words.count == 1, text.utf8.count <= 4_096 else {
                throw ClientAccessError("Cannot use the token: it is empty, or has characters that no token has")
            }
            self.token = String(text)
        } else {
            self.token = nil
        }
        if let authorities, access(authorities, R_OK) != 0 {
            throw ClientAccessError(
                "Cannot read the authorities in '\(authorities)': \(String(cString: strerror(errno)))",
                isFileUnreadable: true)
        }
        do {
            tls = Self.tls(trusting: try authorities.map { .certificates(try NIOSSLCertificate.fromPEMFile($0)) })
        } catch {
            throw ClientAccessError(
                "Cannot use the authorities in '\(authorities ?? "")': the file has no certificates in PEM")
        }
    }

    private static func tls(trusting roots: NIOSSLTrustRoots?) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let roots { tls.trustRoots = roots }
        return tls
    }

    /// True or false for a token, never the token.
    public var description: String { "ClientAccess(hasToken: \(token != nil))" }

    public var customMirror: Mirror { Mirror(self, children: ["hasToken": token != nil]) }
}

/// The reason why a token or a file of authorities cannot be used.
public struct ClientAccessError: Error, Equatable, CustomStringConvertible {
    public let description: String
    /// True if a file cannot be read; false if its content, or the token, cannot be used.
    package let isFileUnreadable: Bool

    init(_ description: String, isFileUnreadable: Bool = false) {
        self.description = description
        self.isFileUnreadable = isFileUnreadable
    }
}
