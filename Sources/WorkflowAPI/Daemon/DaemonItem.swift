/// A daemon of a store.
public struct DaemonItem: Equatable, WireRecord {
    /// The daemon's id, another one after each start; `this` for the only daemon of a file.
    public var daemon: String
    /// The address at which the daemon listens for the others; `nil` if it forwards nothing.
    public var peer: String?
    /// The number of partitions that the daemon owns; 0 for a standby.
    public var partitions: Int64
    /// The number of partitions of the store.
    public var allPartitions: Int64
    /// The milliseconds that are left of the daemon's lease; 0 if it is over, `nil` for the only daemon of a file.
    public var leaseMilliseconds: Int64?
    /// The daemon's clock less that of the database's server, in milliseconds; `nil` without a server.
    public var clockMilliseconds: Int64?
    public var version: String
    /// False if the database's server has no connection of the daemon any more; `nil` if it cannot tell.
    public var isConnected: Bool?
    /// True for the daemon that answers.
    public var isAnswering: Bool?

    /// Creates a value from its parts.
    public init(
        daemon: String, peer: String? = nil, partitions: Int64, allPartitions: Int64, leaseMilliseconds: Int64? = nil,
        clockMilliseconds: Int64? = nil, version: String, isConnected: Bool? = nil, isAnswering: Bool? = nil
    ) {
        self.daemon = daemon
        self.peer = peer
        self.partitions = partitions
        self.allPartitions = allPartitions
        self.leaseMilliseconds = leaseMilliseconds
        self.clockMilliseconds = clockMilliseconds
        self.version = version
        self.isConnected = isConnected
        self.isAnswering = isAnswering
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        daemon = try fields.required("daemon", \.daemon)
        peer = try fields.optional("peer", \.peer)
        partitions = try fields.required("partitions", \.partitions)
        allPartitions = try fields.required("allPartitions", \.allPartitions)
        leaseMilliseconds = try fields.optional("leaseMilliseconds", \.leaseMilliseconds)
        clockMilliseconds = try fields.optional("clockMilliseconds", \.clockMilliseconds)
        version = try fields.required("version", \.version)
        isConnected = try fields.optional("isConnected", \.isConnected)
        isAnswering = try fields.optional("isAnswering", \.isAnswering)
    }
}
