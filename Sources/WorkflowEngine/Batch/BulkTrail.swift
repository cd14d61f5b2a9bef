import WorkflowJSON
package import WorkflowStore

/// Records when a bulk run passed which place, to find out if an instance was still at one of the places.
///
/// Parts of a run are applied in turn with all other commands. So an instance had its turn at a place exactly if it
/// came before the part that passed the place, and left after that part. A long run merges neighbouring stretches, so
/// for a few instances it is unknown if they had their turn.
package struct BulkTrail: Sendable, Equatable {
    /// Some successive parts.
    package struct Stretch: Sendable, Equatable {
        /// The mark behind the last of the parts.
        package var mark: BulkMark
        /// The first positions that no row had when the first and the last of the parts were applied.
        package var first: Position
        package var last: Position
    }

    /// The greatest number of stretches.
    static let limit = 32

    package private(set) var stretches: [Stretch] = []

    /// Creates an empty trail: the run passed no instance.
    package init() {}

    /// Adds the next part, which has come up to a mark.
    package mutating func add(_ mark: BulkMark, at position: Position) {
        stretches.append(Stretch(mark: mark, first: position, last: position))
        if stretches.count > Self.limit { putTogether() }
    }

    /// Merges the two neighbours with the fewest rows written in between: at most a sixteenth of all rows since the
    /// first part. So a pause in which many rows are written stays a boundary.
    private mutating func putTogether() {
        let spans = zip(stretches, stretches.dropFirst()).map { $0.span(with: $1) }
        guard let place = spans.indices.min(by: { spans[$0] < spans[$1] }) else { return }
        // Proof: each span has a stretch at its own place and one behind it.
        let next = stretches.remove(at: place + 1)
        stretches[place].mark = next.mark
        stretches[place].last = next.last
    }

    /// Returns true if the run passed an instance during its stay in a version, or if that is unknown.
    package func passed(_ stay: BulkStay, of instance: InstanceID) -> Bool {
        let place = BulkMark(machine: stay.machine.rawValue, number: instance.rawValue)
        guard let stretch = stretches.first(where: { place <= $0.mark }) else { return false }
        return stretch.first <= stay.end && (stay.begin.map { $0 < stretch.last } ?? true)
    }
}

extension BulkTrail.Stretch {
    /// Returns the number of positions from this stretch to the end of the next. Positions in a file may be too far
    /// apart to subtract.
    fileprivate func span(with next: Self) -> Int64 {
        let (span, isTooMuch) = next.last.rawValue.subtractingReportingOverflow(first.rawValue)
        return isTooMuch ? .max : span
    }
}

extension BulkTrail {
    /// The stored form; `nil` if the run passed no instance.
    var json: JSONValue? {
        stretches.isEmpty
            ? nil
            : .array(
                stretches.map { stretch in
                    let numbers = [
                        stretch.mark.machine, stretch.mark.number, stretch.first.rawValue, stretch.last.rawValue,
                    ]
                    return .array(numbers.map(JSONValue.int))
                })
    }

    /// Reads a stored form; skips everything unknown.
    init(_ json: JSONValue?) {
        guard case .array(let stretches)? = json else { return }
        self.stretches = stretches.prefix(Self.limit).compactMap { stretch in
            // Proof: the list has at least four values. Lists of an earlier build had a fifth.
            guard case .array(let values) = stretch, values.count >= 4, case .int(let machine) = values[0],
                case .int(let number) = values[1], case .int(let first) = values[2], case .int(let last) = values[3]
            else { return nil }
            return Stretch(
                mark: BulkMark(machine: machine, number: number), first: Position(rawValue: first),
                last: Position(rawValue: last))
        }
    }
}

/// The stay of an instance in a machine version that it has left.
package struct BulkStay: Sendable, Equatable {
    package let machine: MachineID
    /// The row with which the instance came; `nil` if it was in the version before the run began.
    package let begin: Position?
    /// The row with which the instance left.
    package let end: Position

    package init(machine: MachineID, begin: Position?, end: Position) {
        self.machine = machine
        self.begin = begin
        self.end = end
    }
}

/// The stays of an instance since the run began, if the run has met it in another version.
struct BulkCrossing: Sendable {
    let stays: [BulkStay]
    /// The instance's last row when the run met it, if earlier parts of the run may meet it too; `nil` otherwise.
    let head: Position?
}
