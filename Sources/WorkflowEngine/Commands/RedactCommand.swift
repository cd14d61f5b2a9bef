package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Erases the data of an instance's rows, and the named parts of its context.
package struct RedactCommand: Sendable {
    package var instance: InstanceName
    /// The rows; `nil` for all.
    package var seqs: SeqSet?
    /// Paths into the context of an unfinished instance; the context of a finished instance is erased whole.
    package var paths: [String]
    /// The paths to erase in the data of the named rows, such as `data.phone`. The rest of the data is kept.
    package var dataPaths: [String]
    /// The new name of the instance; `nil` to keep its own.
    package var newName: InstanceName?
    /// The caller's reason.
    package var reason: String
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// True to report the data that would be erased, without changing anything.
    package var isDryRun: Bool
    /// The caller's key; the same request with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// The bulk run that the command is a part of.
    var run: String?
    /// The facts that were read about the instance before; they bound the rows that `nil` in `seqs` means.
    var found: Found?
    /// The erasure of a file that a backup has replaced, carried out once more; `nil` for a caller's request.
    fileprivate var order: ErasureRecord?

    struct Found: Sendable {
        var seq: Seq
        /// The position of the first row.
        var start: Position
        /// The ids of calls, whose results no instance waits for.
        var calls: [Position]
        /// The bulk runs that may name the instance, if it gets another name.
        var runs: [TellingRun] = []
        /// The rows that keep a part of their data.
        var kept: [Position] = []
    }

    /// A bulk run that may name the instance.
    struct TellingRun: Sendable {
        let key: BulkKey
        /// All instances that the bulk run names, if the instance is among them; `nil` otherwise.
        let names: [InstanceName]?
    }

    package init(
        instance: InstanceName, seqs: SeqSet? = nil, paths: [String] = [], dataPaths: [String] = [],
        newName: InstanceName? = nil, reason: String, expectedSeq: Seq? = nil, isDryRun: Bool = false,
        key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.seqs = seqs
        self.paths = paths
        self.dataPaths = dataPaths
        self.newName = newName
        self.reason = reason
        self.expectedSeq = expectedSeq
        self.isDryRun = isDryRun
        self.key = key
        self.caller = caller
    }

    /// The reason of an erasure that a restore has ordered.
    static let orderReason = "erased before the restore"

    init(_ order: ErasureRecord, of record: InstanceRecord) {
        self.init(
            instance: record.name, seqs: order.seqs, paths: order.paths ?? [], dataPaths: order.dataPaths,
            newName: order.name == record.name ? nil : order.name, reason: Self.orderReason,
            by: .process(in: record.namespace))
        self.order = order
    }
}

/// The answer to a redaction.
package struct RedactResult: Sendable, Equatable {
    /// The present name of the instance.
    package var instance: InstanceName
    /// The seq of the row that records the redaction; for a dry run, the expected seq.
    package var seq: Seq
    package var status: InstanceStatus
    /// The paths of the active leaves.
    package var configuration: [String]
    /// The data that is erased.
    package var redaction: Redaction
    /// The pending events, including the event that the instance failed on, that lose their data; `nil` in an answer
    /// given again.
    package var emptied: [String]?
    package var isDryRun = false
    /// The reason why the erased data is still in the files; `nil` if it is gone.
    package var pending: String?
    /// True if this is the answer to an earlier request with the same key, given again.
    package var isRepeated = false
}

extension RedactCommand: InstanceVerb {
    typealias Answer = KeyedAnswer<RedactResult>

    var size: Int { 1_024 + (paths + dataPaths).reduce(0) { $0 + $1.utf8.count } }
    // True, because the data to erase is read as it is on disk.
    var isLong: Bool { true }
    var targets: [CommandTarget] {
        payers + (newName.map { [.instance(InstanceKey($0, in: caller.namespace))] } ?? [])
    }
    var summary: String { "redact \(instance)" }

    func want(_ rows: inout WantedRows) {
        rows.instances.insert(target)
        if let newName { rows.instances.insert(InstanceKey(newName, in: caller.namespace)) }
        if let key { rows.keys.insert(WantedKey(key, in: .instance(target))) }
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        let (instance, repeated) = try begin(in: &batch)
        if let repeated { return .repeated(repeated) }
        let plan = try plan(for: instance, in: &batch)
        if isDryRun { return .first(plan.answer) }
        let id = instance.state.record.id
        let start = newName == nil ? nil : try batch.startRow(at: found?.start, of: instance)
        let position = batch.numbers.nextPosition
        let before = instance.state.record
        batch.remember(key, in: .instance(id), at: position)
        batch.record(plan.chain, of: instance, from: RowOrigin(caller, key: key, reason: reason, run: run))
        for effect in plan.effects { batch.change(effect) }
        var erasure = ErasureRecord(
            id: position.rawValue, instanceID: id, uuid: before.uuid,
            // An order stays as it was: the next backup may have more rows of the instance.
            seqs: order?.seqs ?? plan.answer.redaction.seqs,
            paths: plan.answer.redaction.isWhole ? nil : paths, name: order?.name ?? newName,
            at: order?.at ?? batch.now,
            walk: ErasureWalk(
                seq: plan.answer.seq, next: position, bottom: Seq(rawValue: 1), top: plan.answer.seq))
        erasure.dataPaths = dataPaths
        batch.begin(erasure, after: order)
        if before.failureSeq.map({ plan.answer.redaction.seqs.contains($0) }) ?? false {
            batch.rewrite(instance) { $0.forgetFailure() }
        }
        if let newName { batch.rename(instance, to: newName, start: start) }
        for (run, names) in plan.runs {
            batch.changes.runs[run.key] = run
            batch.changes.runNames[run.key] = names
        }
        return .first(plan.answer)
    }

    private struct Plan {
        let chain: Chain
        let answer: RedactResult
        /// The effects that change with the redaction.
        let effects: [EffectRecord]
        /// The bulk runs that list the instance by its old name, each with the names in it; `nil` if these stay.
        let runs: [(run: BulkRecord, names: [InstanceName]?)]
    }

    /// Returns the data to erase and the consequences. Everything that can fail is here.
    private func plan(for instance: LiveInstance, in batch: inout BatchBuilder) throws(Rejection) -> Plan {
        // Proof: `Engine.redact` and the erasures of a restore both read the instance first.
        guard let found else { preconditionFailure("an instance is looked at before it is redacted") }
        let status = instance.state.snapshot.status
        let isFinished = status == .done || status == .cancelled
        try refuse(instance.state, isFinished: isFinished)
        if let newName { try refuse(newName, in: &batch) }
        let runs = try renamedRuns(in: batch)
        let all: ClosedRange<Int64> = 1...max(1, min(found.seq, instance.state.record.seq).rawValue)
        let failing = instance.state.record.failureSeq
        var redaction = Redaction(
            seqs: seqs?.within(all) ?? SeqSet([all]), paths: isFinished ? [] : paths,
            isWhole: order.map { $0.paths == nil } ?? (isFinished && dataPaths.isEmpty), isRenamed: newName != nil)
        redaction.dataPaths = dataPaths
        redaction.left = try left(of: found, in: batch)
        redaction.emptiesKept = status == .failed && failing.map(redaction.seqs.contains) ?? false
        if order != nil { redaction.paths = redaction.paths.filter { instance.state.hasPath($0) } }
        let effects = try changed(effects: instance, redaction, found.calls, in: batch)
        let time = instance.state.time(at: batch.now)
        let input = Input.redacted(Event(name: "redact", data: redaction.data, at: time))
        switch instance.state.chain(input, spending: &batch.cost) {
        case .failure(.invalidData(let message)): throw .invalidData("\(self.instance): \(message)")
        case .failure(let refusal):
            throw .undone(
                refusal, verb: "redact", machine: instance.state.machine, instance.state.facts, hint: "")
        case .success(let chain):
            let answer = RedactResult(
                instance: newName ?? self.instance, seq: instance.state.record.seq.next,
                status: instance.state.record.status,
                configuration: instance.state.machine.leafPaths(of: chain.snapshot.configuration),
                redaction: redaction, emptied: emptied(chain, from: instance.state.snapshot), isDryRun: isDryRun)
            return Plan(chain: chain, answer: answer, effects: effects, runs: runs)
        }
    }

    /// Returns the data that the rows keep, by seq.
    private func left(of found: Found, in batch: BatchBuilder) throws(Rejection) -> JSONObject {
        var left = JSONObject()
        var bytes = 0
        for position in found.kept {
            guard let row = try batch.row(at: position) else {
                throw .inconsistent("the history of '\(instance)' has no row at \(position.rawValue)")
            }
            let seq = row.seq.rawValue
            // In a restored backup, a part may be erased already.
            if order != nil, row.isRedacted || row.data == nil { continue }
            if row.isRedacted {
                throw .invalidData(
                    "\(instance): seq \(seq) was redacted already; where '--path' has kept a part of it, that part is "
                        + "in the row of that redaction: '--seq' with its number, and without '--path', erases it")
            }
            // A text that is not JSON is no data.
            guard let text = row.data, let data = try? JSONReader.value(from: text) else {
                throw .invalidData("\(instance): seq \(seq) has no data")
            }
            do throws(ContextMistake) {
                left["\(seq)"] = try Redaction.left(of: data, without: dataPaths, isTolerant: order != nil)
            } catch {
                throw .invalidData("\(instance), seq \(seq): \(error.message)")
            }
            bytes += text.utf8.count
            if bytes > batch.parts.limits.keptBytes, order == nil {
                throw .invalidData(
                    "\(instance): these rows have more than \(batch.parts.limits.keptBytes) bytes of data")
            }
        }
        return left
    }

    /// Returns the pending events that lose their data, and come all the same.
    private func emptied(_ chain: Chain, from before: Snapshot) -> [String] {
        let full = Set(chain.snapshot.armed.filter { $0.data != nil }.map(\.id))
        return before.armed.filter { $0.data != nil && !full.contains($0.id) }.map(\.event)
    }

    private func refuse(_ state: borrowing InstanceState, isFinished: Bool) throws(Rejection) {
        try state.refuse(unless: expectedSeq)
        if order != nil { return }
        if let last = seqs?.last, last > state.record.seq.rawValue {
            throw .seqNotFound(last, state.facts)
        }
        if !dataPaths.isEmpty, seqs == nil {
            throw .invalidData("Paths into data are of rows that are named")
        }
        if isFinished, !paths.isEmpty {
            throw .invalidData(
                "\(instance) is \(state.record.status): its context goes whole, without '--path'")
        }
    }

    private func refuse(_ name: InstanceName, in batch: inout BatchBuilder) throws(Rejection) {
        let placement = batch.parts.placement
        let own = batch.numbers.partition
        guard placement.partition(of: InstanceKey(name, in: caller.namespace)) == own else {
            throw .isElsewhere(name, placement.name(like: name, in: own, of: caller.namespace))
        }
        if try batch.instance(InstanceKey(name, in: caller.namespace)) != nil { throw .instanceExists(name) }
    }

    /// Returns the bulk runs with the instance's new name. The reason of its outcome is dropped, because it may contain
    /// the old name.
    private func renamedRuns(
        in batch: BatchBuilder
    ) throws(Rejection) -> [(run: BulkRecord, names: [InstanceName]?)] {
        guard let newName, let found else { return [] }
        var renamed: [(run: BulkRecord, names: [InstanceName]?)] = []
        for telling in found.runs {
            guard var run = try batch.run(telling.key) else { continue }
            // During a restore no bulk run is carried out.
            if telling.names != nil, run.state == .running, order == nil { throw .isNamed(instance, by: run.key.name) }
            var outcome = BulkOutcome(run.outcome)
            outcome.rename(instance, to: newName)
            run.outcome = outcome.text
            renamed.append((run, telling.names?.map { $0 == instance ? newName : $0 }))
        }
        return renamed
    }

    /// Returns the effects that lose data. An effect in progress needs its request. So an operator can redact only
    /// after the effect has ended; in a restored backup, the effect waits for an operator.
    private func changed(
        effects instance: LiveInstance, _ redaction: Redaction, _ calls: [Position], in batch: BatchBuilder
    ) throws(Rejection) -> [EffectRecord] {
        var open = try batch.effects(of: instance)
        for id in calls { if let call = try batch.effect(id) { open.append(call) } }
        var changed: [EffectRecord] = []
        var inTheWay: [String] = []
        var advice = OpenEffectAdvice.cancel
        for var effect in open {
            if redaction.seqs.contains(effect.seq.rawValue) {
                inTheWay.append("'\(effect.name)' (seq \(effect.seq.rawValue))")
                // The effect is over for its worker, and only the instance must continue: another cancel would change
                // nothing.
                if effect.state == .answered {
                    advice = .goOn
                } else if advice == .cancel, instance.state.invocation(of: effect.id)?.isKept == true {
                    advice = .skip
                }
                effect.redact()
            } else if redaction.emptiesKept, instance.state.invocation(of: effect.id)?.isKept == true {
                effect.error = nil
            } else {
                continue
            }
            changed.append(effect)
        }
        if order == nil, !inTheWay.isEmpty { throw .effectsOpen(inTheWay, advice, of: instance) }
        return changed
    }
}

extension InstanceName {
    /// Returns a name for an instance, if another instance has the name that an erasure gives it.
    static func redacted(_ uuid: UniqueID) -> InstanceName { InstanceName(rawValue: "redacted-\(uuid.text)") }
}

extension EffectRecord {
    /// Erases the request of an effect, which then waits for an operator.
    fileprivate mutating func redact() {
        request = "{}"
        answer = nil
        progress = nil
        lease = nil
        worker = nil
        state = .failed
        error = Self.redactedError
    }

    private static let redactedError = #"{"message":"what it asks was redacted","type":"redacted"}"#

    /// True if the effect's request was erased.
    var isRedacted: Bool { request == "{}" && error == Self.redactedError }
}

/// The ways to end effects that prevent a redaction.
private enum OpenEffectAdvice {
    case cancel
    /// The instance has failed on the end of an effect, such as an error that no transition takes.
    case skip
    /// The result of an effect waits for the instance.
    case goOn
}

extension InstanceRecord {
    /// The seq of the row that records the failure; `nil` if the instance has not failed.
    var failureSeq: Int64? {
        guard let failure, case .int(let seq)? = RecordedFailure.object(failure)?["seq"] else { return nil }
        return seq
    }
}

extension Rejection {
    fileprivate static func isNamed(_ name: InstanceName, by run: String) -> Rejection {
        Rejection(
            .preconditionFailed,
            "The run '\(run)' names '\(name)' and is not done: rename it afterwards, or when "
                + "'wfctl bulk stop \(run)' has stopped the run; nothing was changed", subject: .instance(name))
    }

    /// Refuses a new name that belongs to another partition than the instance.
    ///
    /// - Parameter other: A name like it that does not.
    fileprivate static func isElsewhere(_ name: InstanceName, _ other: InstanceName?) -> Rejection {
        let advice = other.map { ", such as '\($0)'" } ?? ""
        return .invalidData(
            "The name '\(name)' belongs to another partition of the database, and an instance stays in its own: "
                + "choose another name\(advice)")
    }

    fileprivate static func seqNotFound(_ seq: Int64, _ facts: InstanceFacts) -> Rejection {
        Rejection(.seqNotFound, "\(facts.place.text), has no seq \(seq)", facts: facts)
    }

    fileprivate static func effectsOpen(
        _ effects: [String], _ advice: OpenEffectAdvice, of instance: LiveInstance
    ) -> Rejection {
        let facts = instance.state.facts
        let verb = instance.state.snapshot.status == .suspended ? "resume" : "retry"
        let way =
            switch advice {
            case .cancel: "let them end, cancel them with 'wfctl effects cancel'"
            case .skip:
                "it has failed on an end: give it a result with 'wfctl effects skip', or end it with 'wfctl cancel'"
            case .goOn:
                "a result waits until it goes on: 'wfctl \(verb) \(facts.name)', or end it with 'wfctl cancel'"
            }
        let list = effects.prefix(5).joined(separator: ", ") + (effects.count > 5 ? ", …" : "")
        return Rejection(
            .effectsOpen,
            "\(facts.place.text), waits for effects that need what would be redacted: \(list); \(way), or leave these "
                + "rows out with '--seq'", facts: facts)
    }
}
