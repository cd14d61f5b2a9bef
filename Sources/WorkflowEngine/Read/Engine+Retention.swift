import Logging
import WorkflowStore

// Deleting what has finished longer ago than its machine keeps it.

extension Engine {
    /// Makes a pass each hour, the first at once, until the engine ends.
    func keepRetention() async {
        while erasures != nil, await retention.isDue() {
            // What becomes too old while it goes on is the next one's.
            let begin = now
            let isDone = await passRetention()
            let pause = isDone ? limits.retentionPause : limits.retentionRetry
            retention.ended(next: Timestamp(rawValue: begin.rawValue + pause))
        }
    }

    /// Deletes what is too old of each machine. False when it could not do all of it.
    private func passRetention() async -> Bool {
        let caller = Caller(.retention, namespace: .default, role: .owner)
        do throws(Rejection) {
            var last: MachineName?
            repeat {
                let page = try await settings(after: last, limit: limits.batchRows, by: caller)
                for setting in page { try await keepRetention(of: setting, by: caller) }
                last = page.count < limits.batchRows ? nil : page.last?.key.name
            } while last != nil
            return true
        } catch {
            // A store that was closed meanwhile is no news.
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
        // Also of a pass that fails on its way.
        defer {
            if sum.deleted > 0 {
                tell(sum, of: machine, reason: nil, by: caller)
                if purging.isInLog { erasures?.leave() }
            }
        }
        while !sum.isDone {
            // Somebody may have taken it back meanwhile.
            guard try await self.setting(of: machine, by: caller).retention == age else { return }
            try await deleteFinished(request, &sum)
        }
    }

    /// Tells in the log what was deleted.
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
