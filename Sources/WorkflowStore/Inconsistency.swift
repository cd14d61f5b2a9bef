/// A place where two tables say different things, where one says what cannot be, or where a history leads elsewhere.
package struct Inconsistency: Sendable, Equatable {
    /// Nil where no single instance is concerned.
    package var instance: InstanceID?
    /// The instance's name, once somebody has looked it up; nil too where the instance is not there.
    package var name: InstanceName?
    package var seq: Seq?
    /// Of the journal row, where there is one.
    package var position: Position?
    /// In plain words: `the snapshot at seq 256 has no row`.
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
    /// `order-7, seq 5: the digest does not fit what the row says`.
    package var description: String {
        let place = [name?.rawValue, seq.map { "seq \($0.rawValue)" } ?? position.map { "position \($0.rawValue)" }]
        let known = place.compactMap(\.self)
        return known.isEmpty ? message : "\(known.joined(separator: ", ")): \(message)"
    }
}
