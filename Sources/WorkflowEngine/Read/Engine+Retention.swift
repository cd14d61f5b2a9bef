import Logging
import WorkflowStore

// Deletes finished instances whose machine's retention has passed.

extension Engine {
    /// Makes a pass each hour, the first at once, until the engine ends.
    func keepRetention() async {
        while erasures != nil, await retention.isDue() {
            // Instances that become too old during the pass are left to the next one.
            let begin = now
            let isDone = await passRetention()
            let pause = isDone ? limits.retentionPause : limits.retentionRetry
            retention.ended(next: Timestamp(rawValue: begin.rawValue + pause))
        }
    }

    /// Deletes the instances of each machine that are too old. Returns false if the pass could not delete all of them.
    private func passRetention() async -> Bool {
        let caller = Caller(.retention, namespace: .default)
        do throws(Rejection) {
            var last: MachineName?
            repeat {
                let page = try await settings(after: last, limit: limits.batchRows, by: caller)
                for setting in page { try await keepRetention(of: setting, by: caller) }
                last = page.count < limits.batchRows ? nil : page.last?.key.name
            } while last != nil
            return true
        } catch {
            // A store that was closed meanwhile is not worth a warning.
            if error.code != .draining, !retention.isClosed, !Task.isCancelled {
                log.tell(
                    .deletions, .warning, "finished instances could not be deleted; it is tried again in a minute",
                    ["reason": "\(error.code.rawValue)"])
            }
            return false
        }
    }

    private func keepRetention(of setting: MachineSetting, by caller: Caller) async throws(Rejection) {
        let machine = setting.key.name
        guard let age = setting.retention else { return }
        let request = PurgeRequest(machine: machine, age: age, reason: nil, by: caller)
        var sum = PurgeResult()
        // A pass that fails on its way is logged too.
        defer {
            if sum.deleted > 0 {
                tell(sum, of: machine, reason: nil, by: caller)
                if purging.isInLog { erasures?.leave() }
            }
        }
        while !sum.isDone {
            // An operator may have changed the retention meanwhile.
            guard try await self.setting(of: machine, by: caller).retention == age else { return }
            try await deleteFinished(request, &sum)
        }
    }

    /// Logs the counts of a deletion.
    func tell(_ result: PurgeResult, of machine: MachineName?, reason: String?, by caller: Caller) {
        var metadata: Logger.Metadata = [
            "instances": "\(result.deleted)", "rows": "\(result.rows)", "kept": "\(result.kept)",
            "actor": "\(caller.actor?.rawValue ?? "")",
        ]
        if let machine { metadata["machine"] = "\(machine)" }
        if let reason { metadata["reason"] = "\(reason)" }
        log.tell(.deletions, .notice, "finished instances were deleted", metadata)
    }
}

extension OperatorLog.Topic {
    static let deletions = OperatorLog.Topic("deletions")
}
