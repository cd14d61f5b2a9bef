import Statechart
import WorkflowJSON
import WorkflowStore

/// A verb that a bulk run applies to each of its instances.
///
/// A new verb is a file in `Verbs`, and a line in the list of `BulkAction`.
protocol BulkVerb: Sendable, Equatable {
    var traits: BulkTraits { get }

    /// Reads the data that the verb needs of an instance in addition to its row, before the instance's turn.
    func prepare(
        _ record: InstanceRecord, for order: BulkOrder, in engine: Engine
    ) async throws(Rejection) -> BulkPreparation

    /// Returns true if the verb may write such a row.
    func writes(_ row: JournalRecord) -> Bool
}

extension BulkVerb {
    /// Returns true if both verbs do the same.
    func isSame(as other: any BulkVerb) -> Bool { other as? Self == self }

    /// Returns true if an instance that is failed afterwards failed because of the verb, rather than stayed failed as
    /// before.
    func hasFailed(from before: Seq, to after: Seq) -> Bool { traits.endsFailures || after > before.next }

    /// Returns the outcome of an instance for which the verb was rejected.
    func outcome(of rejection: Rejection) -> BulkOutcome.Kind {
        rejection.code == .misfit ? .misfit : traits.outcomes[rejection.code] ?? .refused
    }
}

/// A verb that not every selection can have.
protocol SelectiveVerb: BulkVerb {
    /// Throws if the verb cannot be meant for a selection, before any instance has its turn.
    ///
    /// - Parameter machines: The machine versions that the selection names.
    func check(
        _ selection: BulkSelection, of machines: [MachineRecord], in engine: Engine, by caller: Caller
    ) async throws(Rejection)
}

/// The properties of a verb that matter to its runs.
struct BulkTraits {
    /// The kind of the verb's rows if a run of it can be undone; else `nil`.
    var undoneKind: Input.Kind?
    /// The way in which the data that a run erases leaves the files, before the run is done; `nil` if the verb erases
    /// nothing.
    var erasure: ErasureKind?
    /// True if an instance may have another version after its turn.
    var changesVersions = false
    /// True if the verb is meant to make an instance continue.
    var endsFailures = false
    /// The outcomes of rejections that do not count as refused.
    var outcomes: [Rejection.Code: BulkOutcome.Kind] = [:]
}

/// The data that a run, or its rehearsal, gives to the command of each instance.
struct BulkOrder: Sendable {
    let reason: String?
    /// The name of the run; `nil` for a rehearsal, whose commands are dry runs.
    let run: String?
    let caller: Caller

    var isDryRun: Bool { run == nil }
}

/// An instance, prepared for its turn.
enum BulkPreparation: Sendable {
    /// Applies the verb to the instance.
    typealias Step = @Sendable (LiveInstance, inout BatchBuilder) throws(Rejection) -> BulkDeed

    /// The verb applies. Has the approximate number of bytes that the step holds.
    case ready(bytes: Int, Step)
    /// The verb is rejected.
    case rejected(Rejection)
    /// The instance has changed since the row to undo. Has the message.
    case changed(String)
    /// The instance is not the run's, or has its turn in another version.
    case passedOver
    /// There was no such instance.
    case missing

    /// The approximate number of bytes of the preparation.
    var size: Int { if case .ready(let bytes, _) = self { bytes } else { 0 } }
}

/// The effect of a step.
enum BulkDeed: Sendable {
    /// The verb was applied. Has the result if the verb gives one; a migration gives one in a rehearsal only.
    case done(SendResult?)
    /// Nothing was done, because the instance has changed since it was prepared.
    case moved
}

extension KeyedAnswer<SendResult> {
    /// The result of a command without a key.
    var deed: BulkDeed {
        switch self {
        case .first(let result): .done(result)
        case .repeated: .moved
        }
    }
}
