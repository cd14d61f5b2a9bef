/// A piece of the list of instances that a run names, as stored.
package struct RunNames: Sendable {
    package var key: BulkKey
    /// The number of the piece within the run, from 0.
    package var piece: Int64
    /// The names of instances, one per line.
    package var instances: String

    package init(key: BulkKey, piece: Int64, instances: String) {
        self.key = key
        self.piece = piece
        self.instances = instances
    }

    /// Returns the pieces of a run's names.
    package static func pieces(of names: [InstanceName], for key: BulkKey) -> [RunNames] {
        let size = BulkRecord.namesOfPiece
        return stride(from: 0, to: names.count, by: size).enumerated().map { piece, start in
            let some = names[start..<min(start + size, names.count)]
            return RunNames(
                key: key, piece: Int64(piece), instances: some.map(\.rawValue).joined(separator: "\n"))
        }
    }

    /// Returns the names in the instances of a piece, from a number within the run on.
    package static func names(in instances: String, from number: Int64) -> [InstanceName] {
        let names = instances.split(separator: "\n").map { InstanceName(rawValue: "\($0)") }
        return Array(names.dropFirst(Int(number % Int64(BulkRecord.namesOfPiece))))
    }
}

extension BulkKey {
    /// Returns the key with some parts replaced.
    package func with(
        name: String? = nil, namespace: NamespaceID? = nil, partition: PartitionID? = nil
    ) -> BulkKey {
        BulkKey(name ?? self.name, in: namespace ?? self.namespace, partition: partition ?? self.partition)
    }
}
