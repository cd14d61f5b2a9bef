import Foundation

/// Divides the descriptors of the process between connections, outgoing calls, and the process's own files.
///
/// A process without free descriptors can neither accept a connection nor open a file. So everything that is open at
/// once has a bound.
package struct DescriptorShares: Sendable, Equatable {
    /// The descriptors that the process may have.
    package let limit: Int
    /// The connections of each address at once.
    package let connections: Int
    /// The HTTP calls that are under way at once; each may leave a connection that stays idle for a while.
    package let calls: Int

    private static let fullCalls = 256
    private static let fewestConnections = 32

    /// Divides the descriptors of a process.
    ///
    /// - Parameters:
    ///   - addresses: The number of addresses that wfd listens on.
    ///   - cores: The number of cores; each has event loops and a place for a running program.
    package init(limit: Int, addresses: Int, cores: Int) throws(TooFewDescriptors) {
        let own = Self.own(cores: cores)
        let left = limit - own
        let ofCalls = min(2 * Self.fullCalls, left / 4)
        calls = ofCalls / 2
        connections = min(ServerLimits().allConnections, (left - ofCalls) / max(1, addresses))
        self.limit = limit
        guard connections >= Self.fewestConnections else {
            throw TooFewDescriptors(
                limit: limit, needed: own + (Self.fewestConnections * max(1, addresses) + 2) * 4 / 3 + 8)
        }
    }

    /// Returns the shares of this process, after its limit was raised as far as needed and allowed.
    package static func ofProcess(addresses: Int) throws(TooFewDescriptors) -> DescriptorShares {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let wanted = own(cores: cores) + 2 * fullCalls + addresses * ServerLimits().allConnections
        return try DescriptorShares(limit: raisedLimit(to: wanted), addresses: addresses, cores: cores)
    }

    /// Returns the descriptors of files, pipes and event loops. The constant covers the database with its log and
    /// readers, a backup and its verification, and listening sockets. Each core has two event loops with three
    /// descriptors each, and a program with eight.
    private static func own(cores: Int) -> Int { 64 + 14 * cores }

    /// Raises the soft limit towards the hard limit, and returns the result. The limit is not raised further than
    /// needed, because programs that wfd starts inherit it. Some programs close or scan all descriptors that they may
    /// have.
    private static func raisedLimit(to wanted: Int) -> Int {
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return wanted }
        if Int(clamping: limits.rlim_cur) < wanted {
            limits.rlim_cur = min(limits.rlim_max, rlim_t(wanted))
            _ = setrlimit(resource, &limits)
            guard getrlimit(resource, &limits) == 0 else { return wanted }
        }
        return Int(clamping: limits.rlim_cur)
    }

    #if canImport(Darwin)
        private static var resource: Int32 { RLIMIT_NOFILE }
    #else
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif

    /// True if there are fewer connections or calls than wfd uses when there is room.
    package var isReduced: Bool { connections < ServerLimits().allConnections || calls < Self.fullCalls }
}

/// The error that the process has too few descriptors to serve at all.
package struct TooFewDescriptors: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(limit: Int, needed: Int) {
        description =
            "Cannot serve with \(limit) open files: \(needed) are needed at least; raise the limit "
            + "('ulimit -n', or LimitNOFILE= of the unit)"
    }
}
