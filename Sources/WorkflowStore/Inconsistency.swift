/// A contradiction between two tables, an impossible value, or a history that leads to another state.
package struct Inconsistency: Sendable, Equatable {
    /// The instance; `nil` if no single instance is concerned.
    package var instance: InstanceID?
    /// The instance's name, after a lookup; `nil` also if the instance does not exist.
    package var name: InstanceName?
    package var seq: Seq?
    /// The position of the journal row, if there is one.
    package var position: Position?
    /// The inconsistency in plain words: `the snapshot at seq 256 has no row`.
    package var message: String

    package init(
        instance: InstanceID? = nil, name: InstanceName? = nil, seq: Seq? = nil, position: Position? = nil,
        _ message: String
    ) {
        self.instance = instance
        self.name = name
        self.seq = seq
        self.position = position
        self.message = message
    }
}

extension Inconsistency: CustomStringConvertible {
    /// The place and the message: `order-7, seq 5: the digest does not fit what the row says`.
    package var description: String {
        let place = [name?.rawValue, seq.map { "seq \($0.rawValue)" } ?? position.map { "position \($0.rawValue)" }]
        let known = place.compactMap(\.self)
        return known.isEmpty ? message : "\(known.joined(separator: ", ")): \(message)"
    }
}
