import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

extension BulkRun {
    /// Creates the wire form of a run.
    ///
    /// - Parameter isTold: True if the first instances of each outcome are included.
    init(_ view: BulkView, isTold: Bool = true) {
        let record = view.record
        var (select, names): (BulkSelect?, Int64?)
        switch view.request.targets {
        case .selection(let selection): select = BulkSelect(selection)
        case .names(let count, _): names = Int64(count)
        }
        self.init(
            run: record.key.name, action: WorkflowAPI.BulkAction(view.request.action), select: select, names: names,
            expect: view.request.expect, reason: view.request.reason, actor: record.actor?.rawValue,
            state: State(record.state), paused: view.paused, undoneBy: view.undoneBy, selected: record.selected,
            counts: BulkCounts(view.outcome), told: isTold ? view.outcome.told.map(BulkTold.init) : nil,
            begunAt: WireTime(milliseconds: record.begun.rawValue),
            updatedAt: WireTime(milliseconds: record.updated.rawValue),
            endedAt: record.ended.map { WireTime(milliseconds: $0.rawValue) })
    }
}

extension BulkRun.State {
    fileprivate init(_ state: BulkRecord.State) {
        self =
            switch state {
            case .running: .running
            case .stopped: .stopped
            case .done: .done
            }
    }
}

extension BulkCounts {
    fileprivate init(_ outcome: BulkOutcome) {
        self.init(
            done: outcome.count(of: .done), misfit: outcome.count(of: .misfit), refused: outcome.count(of: .refused),
            changed: outcome.count(of: .changed), failed: outcome.count(of: .failed),
            passedOver: outcome.count(of: .passedOver))
    }
}

extension BulkTold {
    /// Creates the wire form of an instance and its outcome.
    init(_ told: BulkOutcome.Told) {
        self.init(outcome: told.kind.rawValue, instance: told.instance.rawValue, message: told.message)
    }
}

extension WorkflowAPI.BulkRehearsal {
    /// Creates the wire form of a run's rehearsal.
    init(_ rehearsal: WorkflowEngine.BulkRehearsal) {
        var groups = rehearsal.groups.map { Group($0.key, $0.value) }
        groups.sort {
            ($1.count, $0.from?.first ?? "", $0.configuration?.first ?? "")
                < ($0.count, $1.from?.first ?? "", $1.configuration?.first ?? "")
        }
        if rehearsal.others > 0 { groups.append(Group(configuration: nil, count: rehearsal.others)) }
        var misfits = rehearsal.misfits.map { Misfit(place: $0.key.place, reason: $0.key.reason, count: $0.value) }
        misfits.sort { ($1.count, $0.place, $0.reason) < ($0.count, $1.place, $1.reason) }
        self.init(
            digest: rehearsal.digest.text, selected: rehearsal.selected, counts: BulkCounts(rehearsal.outcome),
            groups: groups, misfits: misfits.isEmpty ? nil : misfits,
            told: rehearsal.outcome.told.filter { $0.kind != .done }.map(BulkTold.init),
            begun: rehearsal.begun > 0 ? rehearsal.begun : nil, again: rehearsal.again > 0 ? rehearsal.again : nil,
            cancelled: rehearsal.cancelled > 0 ? rehearsal.cancelled : nil)
    }
}

extension WorkflowAPI.BulkRehearsal.Group {
    fileprivate init(_ place: BulkPlace, _ group: BulkGroup) {
        self.init(
            from: place.from, targets: place.targets, configuration: place.configuration, count: group.count)
        if place.targets == nil || group.kept + group.ended == 0, group.new.isEmpty { return }
        let new = group.new.sorted { $0.key < $1.key }.map {
            WorkflowAPI.BulkRehearsal.New(event: $0.key, count: $0.value)
        }
        timers = WorkflowAPI.BulkRehearsal.Timers(kept: group.kept, ended: group.ended, new: new, due: group.due)
    }
}

extension WorkflowAPI.BulkAction {
    fileprivate init(_ action: WorkflowEngine.BulkAction) {
        switch action {
        case .repair(.cancel(let runsActions)): self.init(.cancel, actions: runsActions ? nil : false)
        case .repair(.retry): self.init(.retry)
        case .repair(.skip): self.init(.skip)
        case .repair(.suspend): self.init(.suspend)
        case .repair(.resume): self.init(.resume)
        case .repair(.set(let change)):
            let data = change.data.object ?? JSONObject()
            let unset: [String]? =
                if case .array(let paths)? = data["unset"] { paths.compactMap(\.string) } else { nil }
            self.init(.set, set: data["set"]?.object, unset: unset)
        case .send(let event, let data): self.init(.send, event: event, data: data)
        case .migrate(let version, let plan, let retries):
            self.init(retries ? .retry : .migrate)
            to = version.rawValue
            self.plan = MigrationPlanItem(plan)
        case .reset(let seq, let timers, let invocations):
            self.init(.reset)
            to = seq.rawValue
            if timers == .due { self.timers = .due }
            self.invocations = invocations.map { $0 == .again ? .again : .answer }
        case .undo(let run, let invocations):
            self.init(.undo)
            undone = run.name
            self.invocations = invocations.map { $0 == .again ? .again : .answer }
        case .delete(let cancelsEffects):
            self.init(.delete)
            if cancelsEffects { cancelEffects = true }
        case .redact(let paths):
            self.init(.redact)
            if !paths.isEmpty { self.paths = paths }
        }
    }
}

extension MigrationPlanItem {
    /// Creates the wire form of a plan.
    fileprivate init(_ plan: MigrationPlan) {
        self.init(
            map: plan.map.isEmpty ? nil : plan.map, assign: plan.assign.isEmpty ? nil : plan.assign,
            drop: plan.drop.isEmpty ? nil : plan.drop, timers: plan.timers == .fromNow ? .fromNow : nil,
            cancelInvocations: plan.cancelsInvocations ? true : nil)
    }
}

extension BulkSelect {
    fileprivate init(_ selection: BulkSelection) {
        self.init(
            machines: selection.machines.map(\.rawValue), versions: selection.versions.map(\.rawValue),
            statuses: selection.statuses.map(Instance.Status.init), states: selection.states,
            olderThan: selection.olderThan.map(DelayText.text), failures: selection.failures,
            suspendedBy: selection.isSuspendedByMachine ? BulkSelect.byMachine : nil,
            all: selection == BulkSelection() ? true : nil)
    }
}
