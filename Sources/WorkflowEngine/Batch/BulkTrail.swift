import WorkflowJSON
package import WorkflowStore

/// When a run came past its places: it tells whether an instance was still at one of them.
///
/// Parts of a run are applied in turn with all other commands. So an instance had its turn at a place exactly if it
/// came there before the part that passed the place, and left after it. Of a long run neighbours are put together:
/// then it is not known of a few instances whether they had their turn.
package struct BulkTrail: Sendable, Equatable {
    /// Some parts, one behind the other.
    package struct Stretch: Sendable, Equatable {
        /// Behind the last of them.
        package var mark: BulkMark
        /// The first positions that no row had when the first and the last of them were applied.
        package var first: Position
        package var last: Position
    }

    /// Stretches at most.
    static let limit = 32

    package private(set) var stretches: [Stretch] = []

    /// Nobody was passed.
    package init() {}

    /// A part that comes next has come up to a mark.
    package mutating func add(_ mark: BulkMark, at position: Position) {
        stretches.append(Stretch(mark: mark, first: position, last: position))
        if stretches.count > Self.limit { putTogether() }
    }

    /// Makes one of the two neighbours between which the fewest rows were written: at most a sixteenth of all since the
    /// first part. So a stop in which much is written stays a boundary.
    private mutating func putTogether() {
        let spans = zip(stretches, stretches.dropFirst()).map { $0.span(with: $1) }
        guard let place = spans.indices.min(by: { spans[$0] < spans[$1] }) else { return }
        // Proof: each span has a stretch at its own place and one behind it.
        let next = stretches.remove(at: place + 1)
        stretches[place].mark = next.mark
        stretches[place].last = next.last
    }

    /// Whether the run has come past an instance while it stayed somewhere; true where that is not known.
    package func passed(_ stay: BulkStay, of instance: InstanceID) -> Bool {
        let place = BulkMark(machine: stay.machine.rawValue, number: instance.rawValue)
        guard let stretch = stretches.first(where: { place <= $0.mark }) else { return false }
        return stretch.first <= stay.end && (stay.begin.map { $0 < stretch.last } ?? true)
    }
}

extension BulkTrail.Stretch {
    /// The positions from here to the end of the next one; what a file says of them may be too far apart.
    fileprivate func span(with next: Self) -> Int64 {
        let (span, isTooMuch) = next.last.rawValue.subtractingReportingOverflow(first.rawValue)
        return isTooMuch ? .max : span
    }
}

extension BulkTrail {
    /// As it is kept; nil where nobody was passed.
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

    /// What it does not know is not there.
    init(_ json: JSONValue?) {
        guard case .array(let stretches)? = json else { return }
        self.stretches = stretches.prefix(Self.limit).compactMap { stretch in
            // Proof: the list has at least four values. Those of an earlier build had a fifth.
            guard case .array(let values) = stretch, values.count >= 4, case .int(let machine) = values[0],
                case .int(let number) = values[1], case .int(let first) = values[2], case .int(let last) = values[3]
            else { return nil }
            return Stretch(
                mark: BulkMark(machine: machine, number: number), first: Position(rawValue: first),
                last: Position(rawValue: last))
        }
    }
}

/// How long an instance was in a machine version that it has left.
package struct BulkStay: Sendable, Equatable {
    package let machine: MachineID
    /// The row with which it came; nil when it was there before the run began.
    package let begin: Position?
    /// The row with which it left.
    package let end: Position

    package init(machine: MachineID, begin: Position?, end: Position) {
        self.machine = machine
        self.begin = begin
        self.end = end
    }
}

/// Where an instance was since a run began that has met it in another version.
struct BulkCrossing: Sendable {
    let stays: [BulkStay]
    /// Its last row when it was met, where parts of the run that stand before may meet it too; nil where none may.
    let head: Position?
}
