import Synchronization

/// The hosts that requests may name beside those of the address. They can be replaced while wfd runs.
package final class FurtherHosts: Sendable {
    private let names: Mutex<Set<String>>

    package init(_ hosts: [HostName] = []) {
        names = Mutex(Set(hosts.map(\.text)))
    }

    /// Replaces the hosts. The next request is decided by the new ones, also on an open connection.
    package func replace(with hosts: [HostName]) {
        names.withLock { $0 = Set(hosts.map(\.text)) }
    }

    /// The names as text.
    var texts: Set<String> { names.withLock { $0 } }
}
