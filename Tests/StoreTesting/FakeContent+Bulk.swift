import Statechart
import WorkflowStore

// Runs over many instances.

extension FakeContent {
    mutating func write(runsOf batch: StoreBatch) throws(StoreError) {
        for key in batch.forgottenRuns {
            runs[key] = nil
            runNames[key] = nil
        }
        for run in batch.changedRuns {
            guard (1...100).contains(run.key.name.count), run.floor.number >= 1 else {
                throw Self.refused("a run that cannot be")
            }
            runs[run.key] = run
        }
        for (key, names) in batch.runNames {
            let before = runNames.updateValue(names, forKey: key)
            guard before?.count ?? names.count == names.count else { throw Self.refused("names of another number") }
        }
    }

    func bulkRuns(after key: BulkKey?, limit: Int) -> [BulkRecord] {
        let all = runs.values.sorted { $0.key < $1.key }
        return Array(all.filter { run in key.map { run.key > $0 } ?? true }.prefix(limit))
    }

    func selection(_ query: SelectionQuery, in namespace: NamespaceID) -> SelectionSlice {
        let wanted = instances.values.filter { instance in
            instance.namespace == namespace && instance.mark > query.after
                && query.below.map { instance.id < $0 } ?? true
                && query.partition.map { $0 == instance.id.partition } ?? true
        }
        let next = wanted.sorted { $0.mark < $1.mark }.prefix(query.limit)
        var examination = InstanceExamination()
        let found = next.filter { instance in
            guard let machine = machine(instance.machineID), instance.status != .purging,
                query.filter.takes(machine.name, machine.version), query.filter.takes(instance.status),
                query.filter.takes(name: instance.name.rawValue)
            else { return false }
            return query.filter.takes(
                configuration: instance.state.configuration, entered: instance.entered, failure: instance.failure,
                error: InvocationError(armed: instance.state.armed))
                && isExamined(instance, query.filter, &examination)
        }
        var slice = SelectionSlice(instances: Array(found), next: next.last?.mark)
        slice.examination = examination
        return slice
    }
}

extension InstanceRecord {
    fileprivate var mark: BulkMark { BulkMark(machine: machineID.rawValue, number: id.rawValue) }
}
