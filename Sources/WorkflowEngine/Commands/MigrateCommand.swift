package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Migrates an instance to another version of its machine.
package struct MigrateCommand: Sendable {
    package var instance: InstanceName
    /// The new version; `nil` for the version that new instances take.
    package var version: MachineVersion?
    package var plan: MigrationPlan
    /// True if a failed instance retries in the new version. An instance that would fail again is not migrated.
    package var retries: Bool
    /// The caller's reason.
    package var reason: String?
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// True to report the effect of the command without changing anything.
    package var isDryRun: Bool
    /// True if the answer includes the context.
    package var wantsContext: Bool
    /// The caller's key; the same request with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// The bulk run that the command is a part of.
    var run: String?

    package init(
        instance: InstanceName, to version: MachineVersion? = nil, _ plan: MigrationPlan = MigrationPlan(),
        retries: Bool = false, reason: String? = nil, expectedSeq: Seq? = nil, isDryRun: Bool = false,
        wantsContext: Bool = true, key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.version = version
        self.plan = plan
        self.retries = retries
        self.reason = reason
        self.expectedSeq = expectedSeq
        self.isDryRun = isDryRun
        self.wantsContext = wantsContext
        self.key = key
        self.caller = caller
    }

    /// The data of the row beside the plan.
    var mark: JSONObject { retries ? [Migration.then: .string(Migration.retry)] : [:] }
}

extension MigrateCommand: InstanceVerb {
    typealias Answer = KeyedAnswer<SendResult>

    /// A prepared migration of an instance.
    private struct Prepared {
        let migrated: Migrated
        let chain: Chain
        /// The retry in the new version.
        let retry: Chain?
        let new: LoadedMachine
        /// The effects that continue with the retry.
        var waiting: [EffectRecord] = []
    }

    var size: Int {
        512 + plan.map.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
            + plan.assign.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    }

    var summary: String { "migrate \(instance)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        let (instance, repeated) = try begin(in: &batch)
        if let repeated { return .repeated(repeated) }
        let prepared = try prepare(of: instance, in: &batch)
        let answer = answer(prepared, of: instance.state)
        record(prepared, of: instance, in: &batch)
        return .first(answer)
    }

    /// Migrates one of many instances, without a detailed answer.
    func move(_ instance: LiveInstance, in batch: inout BatchBuilder) throws(Rejection) {
        batch.fireDue(of: instance)
        record(try prepare(of: instance, in: &batch), of: instance, in: &batch)
    }

    /// Prepares everything that can fail, before rows are recorded.
    private func prepare(of instance: LiveInstance, in batch: inout BatchBuilder) throws(Rejection) -> Prepared {
        try refuse(instance.state)
        let new = try newVersion(of: instance, in: batch)
        let waiting = retries ? try batch.effects(of: instance) : []
        if retries, let kept = instance.state.snapshot.armed.kept { try batch.lookUp(kept, of: instance) }
        let migration = try batch.parts.library.migration(plan, from: instance.state.loaded, to: new)
        let time = instance.state.time(at: batch.now)
        let migrated = try migrated(instance.state, by: migration, to: new, at: time, spending: &batch.cost)
        var prepared = try prepared(instance.state, migrated, to: new, at: time, spending: &batch.cost)
        prepared.waiting = waiting
        return prepared
    }

    private func record(_ prepared: Prepared, of instance: LiveInstance, in batch: inout BatchBuilder) {
        batch.remember(key, in: .instance(instance.state.record.id), at: batch.numbers.nextPosition)
        let origin = RowOrigin(caller, key: key, reason: reason, run: run, machine: prepared.new)
        batch.record(prepared.chain, of: instance, from: origin)
        guard let retry = prepared.retry else { return }
        batch.record(retry, of: instance, from: RowOrigin(caller, reason: reason, run: run))
        batch.goOn(prepared.waiting, of: instance)
    }

    /// Throws if the instance cannot migrate.
    private func refuse(_ state: borrowing InstanceState) throws(Rejection) {
        let status = state.snapshot.status
        if status == .done || status == .cancelled { throw .unchangeable(state.facts) }
        if retries, status != .failed { throw .notFailed("retry", state.facts) }
        try state.refuse(unless: expectedSeq)
    }

    private func newVersion(
        of instance: LiveInstance, in batch: BatchBuilder
    ) throws(Rejection) -> LoadedMachine {
        let before = instance.state.loaded.record
        let wanted = version ?? batch.setting(of: before.key).active
        guard let new = try batch.machine(before.key, version: wanted) else {
            let latest = try batch.machine(before.key, version: nil)
            throw .machineNotFound(name: before.name, version: wanted, latest: latest?.record.version)
        }
        guard new.record.id != before.id else { throw .sameVersion(before.version, instance.state.facts) }
        return new
    }

    private func migrated(
        _ state: borrowing InstanceState, by migration: Migration, to new: LoadedMachine, at time: LogicalTime,
        spending cost: inout Int
    ) throws(Rejection) -> Migrated {
        do throws(MigrationFailure) {
            return try migration.run(
                state.snapshot, as: state.identity(in: new), at: time, entered: LogicalTime(state.record.entered),
                mark: mark, spending: &cost)
        } catch {
            throw rejection(error, to: new, state.facts)
        }
    }

    private func prepared(
        _ state: borrowing InstanceState, _ migrated: Migrated, to new: LoadedMachine, at time: LogicalTime,
        spending cost: inout Int
    ) throws(Rejection) -> Prepared {
        let chain = new.machine.chain(migrated, from: state.earlier, as: state.identity(in: new), isTracing: isDryRun)
        let retry = retries ? try self.retry(chain, of: state, in: new, at: time, &cost) : nil
        return Prepared(migrated: migrated, chain: chain, retry: retry, new: new)
    }

    /// Returns the answer that the command got.
    ///
    /// - Parameters:
    ///   - migrated: The migration, as its row has it.
    ///   - state: The instance before the row.
    func repeated(
        _ migrated: Migrated, of state: borrowing InstanceState, to new: LoadedMachine, at time: LogicalTime
    ) throws(Rejection) -> SendResult {
        var cost = 0
        let prepared = try prepared(state, migrated, to: new, at: time, spending: &cost)
        return answer(prepared, of: state, isRepeated: true)
    }

    private func answer(
        _ prepared: Prepared, of state: borrowing InstanceState, isRepeated: Bool = false
    ) -> SendResult {
        SendResult(
            prepared.chain, from: state, isDryRun: isDryRun, wantsContext: wantsContext, isExplained: isDryRun,
            isRepeated: isRepeated, into: prepared.new,
            migration: MigrationAnswer(
                prepared.migrated.told, from: state.loaded, to: prepared.new, then: prepared.retry))
    }

    private func retry(
        _ chain: Chain, of state: borrowing InstanceState, in new: LoadedMachine, at time: LogicalTime,
        _ cost: inout Int
    ) throws(Rejection) -> Chain {
        guard let kept = chain.snapshot.armed.kept else { throw .keepsNothing(state.record.name) }
        guard new.machine.takes(again: kept) else {
            let reason = "version \(new.record.version) does not know what it failed on; migrate and skip it"
            throw .misfit([Misfit(kept.event, reason)], new.record.version, state.facts)
        }
        guard new.machine.takes(again: kept, in: chain.snapshot, as: state.identity(in: new)) else {
            let paths = new.machine.leafPaths(of: chain.snapshot.configuration).map { "'\($0)'" }
            let reason =
                "\(paths.joined(separator: ", ")) of version \(new.record.version) does not take what it failed on; "
                + "migrate and skip it"
            throw .misfit([Misfit(kept.event, reason)], new.record.version, state.facts)
        }
        let retried = new.machine.chain(
            .retried(Taken(kept, at: time)), from: chain.snapshot, as: state.identity(in: new), isTracing: isDryRun,
            spending: &cost)
        switch retried {
        case .failure(let refusal):
            throw .failsAgain(refusal, on: kept.event, in: new, state.facts)
        case .success(let retry):
            if let refusal = retry.refusal { throw .failsAgain(refusal, on: kept.event, in: new, state.facts) }
            return retry
        }
    }

    private func rejection(
        _ failure: MigrationFailure, to new: LoadedMachine, _ facts: InstanceFacts
    ) -> Rejection {
        switch failure {
        case .misfits(let misfits): .misfit(misfits, new.record.version, facts)
        case .refused(.invalidData(let message)): .invalidData("\(instance): \(message)")
        case .refused(let refusal):
            .undone(refusal, verb: Migration.event, machine: new.machine, facts, hint: "")
        }
    }

    /// Returns true if a row with the command's key records this command.
    func isRecorded(by row: JournalRecord) -> Bool {
        guard row.kind == .migrated, RowNote(row.note).reason == reason,
            let data = row.data.flatMap(RecordedFailure.object), MigrationPlan(.object(data)) == plan
        else { return false }
        let isRetry = data[Migration.then] != nil
        return isRetry == retries && (version.map { data["to"] == .int($0.rawValue) } ?? true)
    }
}

/// The report on an instance that migrated to another version.
package final class MigrationAnswer: Sendable {
    package let told: MigrationReport
    package let from: MachineVersion
    package let to: MachineVersion
    /// The retry in the new version.
    let then: Chain?

    init(_ told: MigrationReport, from old: LoadedMachine, to new: LoadedMachine, then: Chain?) {
        self.told = then.map { told.before($0.snapshot.armed) } ?? told
        self.then = then
        from = old.record.version
        to = new.record.version
    }
}
