import AsyncHTTPClient
import NIOCore
import NIOSSL
import Synchronization

/// The HTTP clients, one per pair of host and address. A client's connections go to that address only, and TLS checks
/// the host's name.
final class HTTPClients: Sendable {
    private struct Key: Hashable {
        let host: String
        let address: IPAddress
    }

    private struct Entry {
        let client: HTTPClient
        var users = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0

        /// Removes and returns the least recently used idle clients if there are too many clients.
        mutating func takeUnused(over bound: Int) -> [HTTPClient] {
            guard entries.count > bound else { return [] }
            let unused = entries.filter { $0.value.users == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
            return unused.prefix(entries.count - bound).compactMap { entries.removeValue(forKey: $0.key)?.client }
        }
    }

    /// The number of clients above which idle ones are closed.
    private static let bound = 64
    private static let connecting = TimeAmount.seconds(5)
    /// The idle time of a connection, shorter than the keep-alive of servers.
    private static let idle = TimeAmount.seconds(4)

    private let tls: TLSConfiguration
    private let state = Mutex(State())

    /// - Parameter authority: A file of certificates to trust beside those of the system.
    init(authority: String?) throws {
        tls = try Self.configuration(authority: authority)
    }

    /// Returns the TLS settings: at least version 1.2 (RFC 8996), whatever a service offers.
    static func configuration(authority: String?) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authority {
            let certificates = try NIOSSLCertificate.fromPEMFile(authority)
            tls.additionalTrustRoots = [.certificates(certificates)]
        }
        return tls
    }

    /// Calls a function with a client.
    func with<Result>(
        host: String, at address: IPAddress, _ use: (HTTPClient) async throws -> Result
    ) async throws -> Result {
        let key = Key(host: host, address: address)
        let (client, unused) = state.withLock { state in
            state.uses += 1
            var entry = state.entries[key] ?? Entry(client: make(key))
            entry.users += 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return (entry.client, state.takeUnused(over: Self.bound))
        }
        defer { state.withLock { $0.entries[key]?.users -= 1 } }
        for client in unused { try? await client.shutdown() }
        return try await use(client)
    }

    private func make(_ key: Key) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: Self.connecting))
        configuration.dnsOverride = [key.host: key.address.description]
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        // The queue's places bound the number of concurrent connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        configuration.connectionPool.idleTimeout = Self.idle
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func shutdown() async {
        let clients = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries.values.map(\.client)
        }
        // `shutdown` throws only if the client was shut down before.
        for client in clients { try? await client.shutdown() }
    }
}
