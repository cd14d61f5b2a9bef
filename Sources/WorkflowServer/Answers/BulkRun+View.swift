import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

extension BulkRun {
    /// Creates the wire form of a run.
    ///
    /// - Parameter isTold: True if the first instances of each outcome are included.
    init(_ view: BulkView, isTold: Bool = true) throws {
        let record = view.record
        var (select, names): (BulkSelect?, Int64?)
        switch view.request.targets {
        case .selection(let selection): select = try BulkSelect(selection)
        case .names(let count, _): names = Int64(count)
        }
        self.init(
            run: record.key.name,
            action: try WorkflowAPI.BulkAction(json: .object(view.request.action.json), unknownFields: .ignored),
            select: select, names: names, expect: view.request.expect, reason: view.request.reason,
            actor: record.actor?.rawValue,
            state: State(record.state), paused: view.paused, undoneBy: view.undoneBy, selected: record.selected,
            unevaluated: view.outcome.unevaluated > 0 ? view.outcome.unevaluated : nil,
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
            cancelled: rehearsal.cancelled > 0 ? rehearsal.cancelled : nil,
            search: rehearsal.examination.examined > 0 ? InstanceSearch(rehearsal.examination) : nil)
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

extension BulkSelect {
    fileprivate init(_ selection: BulkSelection) throws {
        var json = selection.object
        json["olderThan"] = selection.olderThan.map { .string(DelayText.text(milliseconds: $0)) }
        if json.isEmpty { json["all"] = true }
        try self.init(json: .object(json))
    }
}
