import Foundation

/// Divides the descriptors of the process: connections, calls that it makes, and its files get a share each.
///
/// A process without descriptors takes no connection and opens no file. So all that is open at once has a bound.
package struct DescriptorShares: Sendable, Equatable {
    /// Descriptors that the process may have.
    package let limit: Int
    /// Connections of each address at once.
    package let connections: Int
    /// Calls over HTTP that are under way at once; each may leave a connection behind that idles for a while.
    package let calls: Int

    private static let fullCalls = 256
    private static let fewestConnections = 32

    /// Divides the descriptors of a process.
    ///
    /// - Parameters:
    ///   - addresses: How many are listened on.
    ///   - cores: Each has event loops and a place for a program that runs.
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

    /// The shares of this process, after its limit was raised as far as it needs and may.
    package static func ofProcess(addresses: Int) throws(TooFewDescriptors) -> DescriptorShares {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let wanted = own(cores: cores) + 2 * fullCalls + addresses * ServerLimits().allConnections
        return try DescriptorShares(limit: raisedLimit(to: wanted), addresses: addresses, cores: cores)
    }

    /// Descriptors of files, pipes and event loops: the database with its log and its readers, a backup and its
    /// verification, sockets that are listened on; for each core two event loops with three each, and a program with
    /// eight.
    private static func own(cores: Int) -> Int { 64 + 14 * cores }

    /// Raises the soft limit towards the hard one, and gives it. Not further than needed: programs that wfd starts
    /// inherit it, and some close or scan all descriptors that they may have.
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

    /// True: connections or calls are fewer than wfd takes where there is room.
    package var isReduced: Bool { connections < ServerLimits().allConnections || calls < Self.fullCalls }
}

/// The process may have too few descriptors to serve at all.
package struct TooFewDescriptors: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(limit: Int, needed: Int) {
        description =
            "Cannot serve with \(limit) open files: \(needed) are needed at least; raise the limit "
            + "('ulimit -n', or LimitNOFILE= of the unit)"
    }
}
