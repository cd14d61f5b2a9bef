import WorkflowEngine
import WorkflowStore

extension MetricsText {
    /// The figures of one queue, or of all queues without samples of their own.
    private struct QueueSample {
        var counts: [(state: String, count: Int)] = []
        /// The highest lateness, in milliseconds.
        var lateness: Int64 = 0
        var paused = 0
        /// The workers that ask for tasks; `nil` for a queue that the daemon serves itself.
        var workers: Int?

        mutating func add(_ queue: QueueReport, at now: Timestamp) {
            let summary = queue.summary
            let added = [
                ("ready", queue.ready), ("waiting", summary.waiting), ("leased", summary.leased),
                ("running", queue.running), ("held", summary.held), ("failed", summary.failed),
                ("answered", summary.answered),
            ]
            let before = counts.isEmpty ? added.map { _ in 0 } : counts.map { $0.count }
            counts = zip(added, before).map { (state: $0.0.0, count: $0.0.1 + $0.1) }
            lateness = max(lateness, queue.lateness(at: now) ?? 0)
            if summary.record?.settings.isPaused == true { paused += 1 }
            if let count = queue.workers { workers = (workers ?? 0) + count }
        }
    }

    /// Adds the effects in queues, and the attempts that have ended.
    ///
    /// - Parameter counts: The counts of the queues that have samples of their own.
    mutating func add(_ queues: [QueueReport], _ counts: [String: EngineMetrics.QueueCounts], at now: Timestamp) {
        var samples: [String: QueueSample] = [:]
        for queue in queues {
            let name = queue.summary.name
            samples[counts[name] == nil ? EngineMetrics.others : name, default: QueueSample()].add(queue, at: now)
        }
        let sorted = samples.sorted { $0.key < $1.key }
        begin("wfd_effects", "gauge", "Effects by queue and state; counting ends at 1000.")
        for (queue, sample) in sorted {
            for (state, count) in sample.counts {
                self.sample("wfd_effects", count, [("queue", queue), ("state", state)])
            }
        }
        begin("wfd_effect_oldest_due_seconds", "gauge", "How long the oldest effect that is ready has been due.")
        for (queue, sample) in sorted {
            self.sample("wfd_effect_oldest_due_seconds", Double(sample.lateness) / 1_000, [("queue", queue)])
        }
        begin("wfd_effect_queue_paused", "gauge", "1 for a queue that is paused.")
        for (queue, sample) in sorted { self.sample("wfd_effect_queue_paused", sample.paused, [("queue", queue)]) }
        begin("wfd_effect_workers", "gauge", "Workers that have asked for tasks within the last minute.")
        for (queue, sample) in sorted {
            if let workers = sample.workers { self.sample("wfd_effect_workers", workers, [("queue", queue)]) }
        }
        addAttempts(counts)
    }

    private mutating func addAttempts(_ counts: [String: EngineMetrics.QueueCounts]) {
        let sorted = counts.sorted { $0.key < $1.key }
        begin("wfd_effect_attempts_total", "counter", "Attempts at effects that have ended, by queue and outcome.")
        for (queue, count) in sorted {
            for end in AttemptEnd.allCases {
                let labels = [(name: "queue", value: queue), ("outcome", end.rawValue)]
                sample("wfd_effect_attempts_total", count.attempts[end] ?? 0, labels)
            }
        }
        begin("wfd_effect_start_delay_seconds", "histogram", "From when effects were due until an attempt began.")
        for (queue, count) in sorted { sample("wfd_effect_start_delay_seconds", count.delays, [("queue", queue)]) }
    }
}
