/// A state's number in its machine, in document order. The root is 0, and a state's descendants follow it directly.
package struct StateIndex: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Creates the index of the state at a place in `Machine.states`.
    package init(_ offset: Int) {
        rawValue = Int32(offset)
    }

    /// The root of every machine.
    package static let root = StateIndex(0)

    /// The state's place in `Machine.states`.
    package var offset: Int { Int(rawValue) }

    package static func < (lhs: StateIndex, rhs: StateIndex) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// A transition's number in its machine, in document order.
package struct TransitionIndex: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Creates the index of the transition at a place in `Machine.transitions`.
    package init(_ offset: Int) {
        rawValue = Int32(offset)
    }

    /// The transition's place in `Machine.transitions`.
    package var offset: Int { Int(rawValue) }

    package static func < (lhs: TransitionIndex, rhs: TransitionIndex) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
