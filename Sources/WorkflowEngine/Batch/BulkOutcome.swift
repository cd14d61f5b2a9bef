import WorkflowJSON
package import WorkflowStore

/// What became of the instances of a run, or would: how many of each kind, and the first few.
package struct BulkOutcome: Sendable, Equatable {
    /// What became of one of them.
    package enum Kind: String, Sendable, CaseIterable {
        /// It was done.
        case done
        /// The instance does not fit what was asked for.
        case misfit
        /// The instance or its machine said no.
        case refused
        /// The instance has gone on since it was selected, and was left alone.
        case changed
        /// It was done, and the instance has failed on what followed.
        case failed
        /// The verb is not for an instance in such a status: nothing is wrong with that.
        case passedOver

        fileprivate var place: Int {
            switch self {
            case .done: 0
            case .misfit: 1
            case .refused: 2
            case .changed: 3
            case .failed: 4
            case .passedOver: 5
            }
        }
    }

    /// One of the first few of its kind.
    package struct Told: Sendable, Equatable {
        package let kind: Kind
        package let instance: InstanceName
        /// Why; nil of what was done.
        package let message: String?

        init(kind: Kind, instance: InstanceName, message: String?) {
            self.kind = kind
            self.instance = instance
            self.message = message
        }
    }

    /// By the kinds' places.
    private var counts = [Int64](repeating: 0, count: Kind.allCases.count)
    /// In the order in which they had their turn.
    package private(set) var told: [Told] = []

    /// When the run came past whom, where that may matter.
    var trail = BulkTrail()

    package init() {}

    /// All that had their turn.
    package var total: Int64 { counts.reduce(0, +) }

    /// Those to whom it was not done although it is for them, or who have failed on what followed.
    package var left: Int64 { total - count(of: .done) - count(of: .passedOver) }

    /// How many instances had an outcome.
    package func count(of kind: Kind) -> Int64 { counts[kind.place] }

    mutating func add(
        _ kind: Kind, _ instance: InstanceName, limits: EngineLimits, _ message: @autoclosure () -> String?
    ) {
        let count = count(of: kind)
        counts[kind.place] = count + 1
        guard count < limits.toldOutcomes else { return }
        let message = message().map { String(decoding: $0.utf8.prefix(limits.outcomeBytes), as: UTF8.self) }
        told.append(Told(kind: kind, instance: instance, message: message))
    }

    /// Counts one that is not told.
    mutating func count(_ kind: Kind) { counts[kind.place] += 1 }

    /// Counts those that were selected and not met as changed: they were deleted, are selected no more, or went to a
    /// version that had its turn. Nobody knows their names.
    mutating func countMissing(of selected: Int64) { counts[Kind.changed.place] += max(0, selected - total) }

    /// Whether one of those that are told has a name.
    func tells(of instance: InstanceName) -> Bool { told.contains { $0.instance == instance } }

    /// Tells of an instance by another name, and no more why it had its outcome.
    mutating func rename(_ instance: InstanceName, to name: InstanceName) {
        told = told.map { $0.instance == instance ? Told(kind: $0.kind, instance: name, message: nil) : $0 }
    }

    /// Tells nothing of a kind: it did not come about.
    mutating func leaveOut(_ kind: Kind) {
        counts[kind.place] = 0
        told.removeAll { $0.kind == kind }
    }
}

extension BulkOutcome {
    var text: String {
        var numbers = JSONObject()
        for kind in Kind.allCases where count(of: kind) > 0 { numbers[kind.rawValue] = .int(count(of: kind)) }
        let told = told.map { told -> JSONValue in
            var object: JSONObject = [
                "outcome": .string(told.kind.rawValue), "instance": .string(told.instance.rawValue),
            ]
            object["message"] = told.message.map(JSONValue.string)
            return .object(object)
        }
        var object: JSONObject = ["counts": .object(numbers), "told": .array(told)]
        object["trail"] = trail.json
        return JSONWriter.string(JSONValue.object(object))
    }

    /// What it does not know is not there.
    init(_ text: String) {
        guard let object = RecordedFailure.object(text) else { return }
        for kind in Kind.allCases {
            guard case .int(let count)? = object["counts"]?.object?[kind.rawValue],
                StoreNumbers.range.contains(count)
            else { continue }
            counts[kind.place] = count
        }
        trail = BulkTrail(object["trail"])
        guard case .array(let told)? = object["told"] else { return }
        self.told = told.compactMap { element in
            guard let one = element.object, let kind = (one["outcome"]?.string).flatMap(Kind.init(rawValue:)),
                let instance = one["instance"]?.string
            else { return nil }
            return Told(kind: kind, instance: InstanceName(rawValue: instance), message: one["message"]?.string)
        }
    }
}
