import WorkflowStore

extension PostgresWriter {
    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        try requireOpen()
        forget()
        var plan = CommitPlan(marks: marks)
        for batch in batches { try add(batch, to: &plan) }
        if batches.allSatisfy({ $0.isEmpty && $0.numbers == log.rows[$0.numbers.partition]?.numbers }) { return }
        for batch in batches {
            try forgetKeys(of: batch, &plan)
            try sweep(batch, &plan)
        }
        for batch in batches { plan.count(batch) }
        let requests = try BatchRequests(batches).all { partition in
            plan.rows[partition]?.keys.floor ?? .beginning(of: partition)
        }
        plan.fold(by: folding, batches)
        doubtful = plan.marks
        try log.commit(plan.rows.values.map(\.self), with: plan.upkeep + requests + plan.folds)
        marks = doubtful
    }

    func resolve() -> CommitOutcome {
        let outcome = log.resolve()
        if case .committed = outcome { marks = doubtful }
        return outcome
    }

    /// Checks a batch and adds it to the states that follow.
    private func add(_ batch: StoreBatch, to plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard var row = plan.rows[partition] ?? log.rows[partition] else {
            throw StoreError(.fenced, "Cannot write: this process does not own partition \(partition.rawValue)")
        }
        guard batch.base ?? row.numbers == row.numbers else {
            throw StoreError(.constraint, "Cannot write to '\(address)': the batch before this one is not there")
        }
        guard batch.isCovered(after: row.numbers) else {
            throw StoreError(
                .constraint,
                "Cannot write to '\(address)': the batch has rows past its own numbers, or of another partition")
        }
        row.numbers = batch.numbers
        if let due = batch.armedTimers.map(\.key.due).min() { row.timerFloor = min(row.timerFloor, due) }
        plan.rows[partition] = row
    }

    /// Forgets keys by the rule of a batch.
    private func forgetKeys(of batch: StoreBatch, _ plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard let retention = batch.retention, let ledger = plan.rows[partition]?.keys else { return }
        var forgotten = ForgottenKeys(ledger)
        let rows = try read(forgotten.rows(retention)) { answer in
            try answer.all { row in try ForgottenKeys.Row(&row) }
        }
        forgotten.take(rows, retention)
        plan.rows[partition]?.keys = forgotten.ledger
        plan.upkeep += forgotten.requests
    }

    /// Removes deleted data as a batch orders. A second order for the same partition in one commit is left for the
    /// next: its rows are not removed yet when they are chosen.
    private func sweep(_ batch: StoreBatch, _ plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard let order = batch.sweep, let row = plan.rows[partition], let marks = plan.marks[partition],
            plan.swept.insert(partition).inserted
        else { return }
        var sweep = PurgeSweep(order, in: partition, row.keys, marks.backlog, self)
        plan.upkeep += try sweep.run()
        plan.rows[partition]?.keys = sweep.ledger
        plan.rows[partition]?.purgeFloor = max(row.purgeFloor, sweep.floor)
        plan.marks[partition]?.backlog = sweep.backlog
    }
}

/// The states after some batches, and what is done beside their rows.
private struct CommitPlan {
    var rows: [PartitionID: LogRow] = [:]
    var marks: [PartitionID: PartitionMarks]
    var swept: Set<PartitionID> = []
    /// The requests that remove old data, which come first.
    var upkeep: [Request] = []
    /// The requests that fold the log, which come last.
    private(set) var folds: [Request] = []

    init(marks: [PartitionID: PartitionMarks]) {
        self.marks = marks
    }

    /// Counts the keys and the deletions of a batch.
    mutating func count(_ batch: StoreBatch) {
        let partition = batch.numbers.partition
        rows[partition]?.keys.count += Int64(batch.keys.count)
        marks[partition]?.backlog.instances += Int64(batch.purged.count)
        marks[partition]?.backlog.rows += batch.purged.reduce(0) { $0 + $1.rows }
        if let floor = rows[partition]?.keys.floor { marks[partition]?.backlog.floor = floor }
    }

    /// Appends the changes of the counts, and folds those of logs that are long or old enough.
    mutating func fold(by limits: PostgresWriter.FoldLimits, _ batches: [StoreBatch]) {
        let now = ContinuousClock.now
        for (partition, row) in rows {
            rows[partition]?.tally = TallyTable.text(of: batches.filter { $0.numbers.partition == partition })
            guard let mark = marks[partition],
                row.number - mark.unfolded >= limits.rows || now - mark.folded >= limits.time
            else { continue }
            folds += TallyTable.fold(partition, below: row.number)
            marks[partition]?.unfolded = row.number
            marks[partition]?.folded = now
        }
    }
}

extension StoreBatch {
    /// Returns true if all rows belong to the batch's partition and are within its numbers, which follow others.
    fileprivate func isCovered(after before: StoreNumbers) -> Bool {
        let partition = numbers.partition
        let positions = before.nextPosition..<max(numbers.nextPosition, before.nextPosition)
        return numbers.nextPosition >= before.nextPosition && numbers.nextInstance >= before.nextInstance
            && numbers.nextMachine >= before.nextMachine && numbers.last >= before.last && numbers.arePlausible
            && journal.allSatisfy { positions.contains($0.position) }
            && newInstances.allSatisfy { $0.id >= before.nextInstance && $0.id < numbers.nextInstance }
            && changedInstances.allSatisfy { $0.id.partition == partition }
            && armedTimers.allSatisfy { $0.key.position.partition == partition }
            && endedTimers.allSatisfy { $0.position.partition == partition }
            && keys.allSatisfy { $0.position.partition == partition }
            && machines.allSatisfy { $0.id < numbers.nextMachine } && hasFreePositions(positions)
            && (changedEffects.map(\.id) + endedEffects).allSatisfy { $0.partition == partition }
            && purged.allSatisfy { positions.contains($0.position) }
            && changes.allSatisfy { positions.contains($0.position) }
    }

    /// Returns true if each new effect has a position of the batch that no journal row has.
    private func hasFreePositions(_ positions: Range<Position>) -> Bool {
        if newEffects.isEmpty { return true }
        let taken = Set(journal.lazy.map(\.position))
        return newEffects.allSatisfy { positions.contains($0.id) && !taken.contains($0.id) }
    }
}
