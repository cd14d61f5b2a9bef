import WorkflowJSON
package import WorkflowStore

/// The outcomes, or expected outcomes, of a bulk run's instances: the number of each kind, and the first few instances.
package struct BulkOutcome: Sendable, Equatable {
    /// The outcome of one instance.
    package enum Kind: String, Sendable, CaseIterable {
        /// The action was done.
        case done
        /// The instance does not fit the request.
        case misfit
        /// The instance or its machine refused.
        case refused
        /// The instance has continued since it was selected, and was left alone.
        case changed
        /// The action was done, and the instance has failed on the consequences.
        case failed
        /// The verb is not for an instance in this status, which is no error.
        case passedOver
    }

    /// One of the first few instances of its kind.
    package struct Told: Sendable, Equatable {
        package let kind: Kind
        package let instance: InstanceName
        /// The reason; `nil` if the action was done.
        package let message: String?
    }

    private var counts: [Kind: Int64] = [:]
    /// The listed instances, in the order in which they had their turn.
    package private(set) var told: [Told] = []

    /// The places that the run has passed and when, where they may matter.
    var trail = BulkTrail()

    /// The number of instances that were left out because the condition of the selection has no value for them, when
    /// the run began.
    package private(set) var unevaluated: Int64

    /// True if the undo of a stopped run has ended it in one of several partitions.
    var isCut = false

    package init(unevaluated: Int64 = 0) {
        self.unevaluated = unevaluated
    }

    /// The number of all instances that had their turn.
    package var total: Int64 { counts.values.reduce(0, +) }

    /// The number of instances that the verb applies to but that were not done, or that have failed on the
    /// consequences.
    package var left: Int64 { total - count(of: .done) - count(of: .passedOver) }

    /// Returns the number of instances with an outcome.
    package func count(of kind: Kind) -> Int64 { counts[kind] ?? 0 }

    mutating func add(
        _ kind: Kind, _ instance: InstanceName, limits: EngineLimits, _ message: @autoclosure () -> String?
    ) {
        let count = count(of: kind)
        self.count(kind)
        guard count < limits.toldOutcomes else { return }
        let message = message().map { String(decoding: $0.utf8.prefix(limits.outcomeBytes), as: UTF8.self) }
        told.append(Told(kind: kind, instance: instance, message: message))
    }

    /// Counts an instance that is not listed.
    mutating func count(_ kind: Kind) { counts[kind, default: 0] += 1 }

    /// Counts selected instances that the run never met as `changed`. Such instances were deleted, are no longer
    /// selected, or went to a version that had its turn. Their names are unknown.
    mutating func countMissing(of selected: Int64) {
        let missing = selected - total
        if missing > 0 { counts[.changed, default: 0] += missing }
    }

    /// Adds the outcomes of a run in another partition, with as many listed instances as one partition's.
    mutating func add(_ other: BulkOutcome, limits: EngineLimits) {
        for told in other.told where self.told.count(where: { $0.kind == told.kind }) < limits.toldOutcomes {
            self.told.append(told)
        }
        counts.merge(other.counts, uniquingKeysWith: +)
        unevaluated += other.unevaluated
        isCut = isCut || other.isCut
    }

    /// Returns true if a listed instance has the name.
    func tells(of instance: InstanceName) -> Bool { told.contains { $0.instance == instance } }

    /// Gives a listed instance another name and drops the reason of its outcome.
    mutating func rename(_ instance: InstanceName, to name: InstanceName) {
        told = told.map { $0.instance == instance ? Told(kind: $0.kind, instance: name, message: nil) : $0 }
    }

    /// Removes a kind of outcome that did not happen.
    mutating func leaveOut(_ kind: Kind) {
        counts[kind] = nil
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
        if unevaluated > 0 { object["unevaluated"] = .int(unevaluated) }
        if isCut { object["cut"] = true }
        return JSONWriter.string(JSONValue.object(object))
    }

    /// Reads a stored text; skips everything unknown.
    init(_ text: String) {
        unevaluated = 0
        guard let object = RecordedFailure.object(text) else { return }
        isCut = object["cut"] == true
        for kind in Kind.allCases {
            guard case .int(let count)? = object["counts"]?.object?[kind.rawValue],
                StoreNumbers.range.contains(count)
            else { continue }
            counts[kind] = count
        }
        trail = BulkTrail(object["trail"])
        if case .int(let count)? = object["unevaluated"], StoreNumbers.range.contains(count) { unevaluated = count }
        guard case .array(let told)? = object["told"] else { return }
        self.told = told.compactMap { element in
            guard let one = element.object, let kind = (one["outcome"]?.string).flatMap(Kind.init(rawValue:)),
                let instance = one["instance"]?.string
            else { return nil }
            return Told(kind: kind, instance: InstanceName(rawValue: instance), message: one["message"]?.string)
        }
    }
}
