/// The number of a store's partitions, and the rule by which instances belong to them. The rule never changes: an
/// instance stays where its name put it.
package struct Placement: Sendable, Equatable {
    private let count: UInt64

    /// - Parameter count: The number of partitions, at least 1; they are numbered from 0.
    package init(partitions count: Int) { self.count = UInt64(max(1, count)) }

    /// True if there is one partition, to which everything belongs.
    package var hasOne: Bool { count == 1 }

    /// Returns the partition of an instance. The name counts up to its first `~`, so that children live with their
    /// root.
    package func partition(of instance: InstanceKey) -> PartitionID {
        partition(instance.namespace) { instance.name.rawValue.utf8.prefix { $0 != UInt8(ascii: "~") } }
    }

    /// Returns a name in a partition: the given one, or the first that follows it there as in `order-2`.
    package func name(like name: InstanceName, in partition: PartitionID, of namespace: NamespaceID) -> InstanceName? {
        if self.partition(of: InstanceKey(name, in: namespace)) == partition { return name }
        let root = name.rawValue.prefix { $0 != "~" }
        let rest = name.rawValue.dropFirst(root.count)
        // One of so many names is in the partition but for one time in e^100.
        return (2..<100 * Int(count)).lazy.map { InstanceName(rawValue: "\(root)-\($0)\(rest)") }.first {
            self.partition(of: InstanceKey($0, in: namespace)) == partition
        }
    }

    /// Returns the partition of an instance that is started with a key and without a name.
    package func partition(of key: RequestKey, startedBy machine: MachineKey) -> PartitionID {
        partition(machine.namespace) { Array(machine.name.rawValue.utf8) + [0] + key.bytes }
    }

    private func partition(_ namespace: NamespaceID, _ bytes: () -> some Sequence<UInt8>) -> PartitionID {
        if hasOne { return .first }
        let prefix = withUnsafeBytes(of: namespace.rawValue.bigEndian) { Array($0) }
        let number = Digest(of: prefix + bytes()).bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // Proof: the remainder is less than the number of partitions.
        return PartitionID(rawValue: Int64(number % count))
    }
}
