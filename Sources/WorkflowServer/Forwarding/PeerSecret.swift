import NIOCore
import NIOSSL

/// The secret that the daemons of one store share. It proves to each that the other end of a connection is one of them.
package struct PeerSecret: Sendable, CustomStringConvertible {
    /// The length of the secret.
    package static let byteCount = 32

    private let bytes: [UInt8]

    /// Creates the secret of random bytes; `nil` if their number is not `byteCount`.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The same text for every secret, so that no log has one.
    package var description: String { "the secret of the daemons" }

    /// The settings of TLS for a daemon that calls another one.
    var clientSettings: TLSConfiguration {
        var settings = Self.settings
        settings.pskClientProvider = { [bytes] _ in
            PSKClientIdentityResponse(key: Self.key(bytes), identity: Self.identity)
        }
        return settings
    }

    /// The settings of TLS for the address of a daemon for the others.
    var serverSettings: TLSConfiguration {
        var settings = Self.settings
        settings.pskServerProvider = { [bytes] _ in PSKServerIdentityResponse(key: Self.key(bytes)) }
        return settings
    }

    /// The name of the secret in a handshake. Daemons have one secret, so every name stands for it.
    private static let identity = "wfd"

    private static func key(_ bytes: [UInt8]) -> NIOSSLSecureBytes {
        var key = NIOSSLSecureBytes()
        key.append(bytes)
        return key
    }

    /// TLS 1.2, because BoringSSL takes no such keys in TLS 1.3, with the one suite of keys that is forward secret and
    /// authenticates what it encrypts (RFC 7905: TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256). No suite has a
    /// certificate, so an end without the secret completes no handshake.
    private static var settings: TLSConfiguration {
        var settings = TLSConfiguration.makePreSharedKeyConfiguration()
        settings.minimumTLSVersion = .tlsv12
        settings.maximumTLSVersion = .tlsv12
        settings.cipherSuiteValues = [NIOTLSCipher(rawValue: 0xCCAC)]
        settings.applicationProtocols = ["http/1.1"]
        settings.shutdownTimeout = .milliseconds(1)
        return settings
    }
}
