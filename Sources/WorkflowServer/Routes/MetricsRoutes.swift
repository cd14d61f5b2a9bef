import HTTPTypes
import Hummingbird
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The route for monitoring: counts since the daemon began, and current amounts.
struct MetricsRoutes: Sendable {
    let engine: Engine
    let requests: RequestMetrics
    let certificate: ServerCertificate?
    /// The counts of forwarded requests; `nil` for a daemon that serves its store alone.
    let forwards: ForwardCounts?
    let version: String

    /// Machines that have samples of their own; the others share one sample, `_other`.
    private static let shownMachines = 200
    /// States of one machine that have samples of their own.
    private static let shownStates = 50
    private static let others = EngineMetrics.others

    func register(on routes: inout RouteHandlers) {
        routes.on(.metrics) { request in
            let caller = request.caller
            let report = try await asking { try await engine.report(by: caller) }
            // The engine returns the latest names first; `shown` expects the oldest first.
            let known = try await asking { try await engine.machineNames(by: caller) }
            let shown = engine.metrics.shown(report.names, idle: known.reversed(), atMost: Self.shownMachines)
            let queues = try await asking {
                try await engine.queueReports(countingTo: APILimits.countedEffects, by: caller)
            }
            engine.metrics.show(queues: queues.map(\.summary.name))
            let named = try await asking { try await engine.queues(namedBy: shown, by: caller) }
            engine.metrics.show(queues: named.sorted())
            let late = try await asking { try await engine.lateTimers(by: caller) }
            let suspended = engine.suspendedMachines(by: caller).map(\.key.name)
            var text = text(report, suspended: suspended, shown: shown)
            addOldest(engine.oldestRunning(by: caller), report, shown, to: &text)
            text.one(
                "wfd_timers_late", "gauge", "Timers that should have fired already; counting ends at 1000.",
                late?.count ?? 0)
            text.one(
                "wfd_timers_late_seconds", "gauge", "By how much the first of them is late.",
                Double(late?.milliseconds ?? 0) / 1_000)
            text.one(
                "wfd_effects_held", "gauge", "1 while no effect starts, until 'wfctl release'.",
                engine.queueBoard.isKnownAsHeld ? 1 : 0)
            text.add(queues, engine.metrics.counts.queues, at: engine.now)
            if let certificate {
                text.one(
                    "wfd_certificate_expiry_timestamp_seconds", "gauge", "When the certificate of TLS expires.",
                    certificate.end.rawValue / 1_000)
            }
            if let forwards { text.add(forwards) }
            if let usage = ProcessUsage.ofThisProcess { text.add(usage) }
            return Response(
                WholeAnswer(
                    status: .ok, headers: [.contentType: MetricsText.mediaType], body: ByteBuffer(string: text.text)))
        }
    }

    private func text(_ report: EngineReport, suspended: [MachineName], shown: Set<MachineName>) -> MetricsText {
        var text = MetricsText()
        text.begin("wfd_build_info", "gauge", "The daemon's version.")
        text.sample("wfd_build_info", 1, [("version", version)])
        // A standby takes events, and hands them to the owner.
        let takes = [.ready, .standby].contains(engine.currentHealth)
        text.one("wfd_ready", "gauge", "1 when the daemon takes events.", takes ? 1 : 0)
        addInstances(report, shown, to: &text)
        addSuspended(suspended, shown, to: &text)
        addEvents(report, shown, to: &text)
        addTimes(report, to: &text)
        text.one("wfd_queue_commands", "gauge", "Commands that wait for the writer.", report.waiting)
        text.one(
            "wfd_purge_backlog_instances", "gauge", "Deleted instances with rows that are left.",
            report.backlog.instances)
        text.one("wfd_purge_backlog_rows", "gauge", "Rows of deleted instances that are left.", report.backlog.rows)
        text.one("wfd_bulk_runs", "gauge", "Runs over many instances that are under way.", engine.runsUnderWay)
        text.one(
            "wfd_log_lines_lost_total", "counter", "Lines that were not logged, because nobody read the log.",
            requests.logLinesLost)
        addDisk(report, to: &text)
        return text
    }

    /// Adds, for each state in the tally, how long its oldest running instance has been there.
    private func addOldest(
        _ oldest: [OldestInState], _ report: EngineReport, _ shown: Set<MachineName>, to text: inout MetricsText
    ) {
        struct Place: Hashable {
            let machine: MachineID
            let state: String
        }
        let entered = Dictionary(
            oldest.map { (Place(machine: $0.machineID, state: $0.configuration), $0.entered) }, uniquingKeysWith: min)
        var places: [MachineName: [String: Timestamp]] = [:]
        for counted in report.tally where counted.key.status == .running {
            let state = counted.key.configuration
            guard let time = entered[Place(machine: counted.key.machineID, state: state)] else { continue }
            let isShown = shown.contains(counted.machine)
            let machine = isShown ? counted.machine : MachineName(rawValue: Self.others)
            let name = isShown ? state : Self.others
            let known = places[machine]?[name] ?? time
            places[machine, default: [:]][name] = min(known, time)
        }
        text.begin(
            "wfd_oldest_in_state_seconds", "gauge", "How long the running instance has been in a state that came first."
        )
        for (machine, states) in places.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let sorted = states.sorted { $0.key < $1.key }
            var told = sorted.prefix(Self.shownStates).map { ($0.key, $0.value) }
            let rest = sorted.dropFirst(Self.shownStates).map(\.value)
            if let first = rest.min() { told.append((Self.others, first)) }
            for (state, time) in told {
                let age = Double(max(0, engine.now.rawValue - time.rawValue)) / 1_000
                text.sample("wfd_oldest_in_state_seconds", age, [("machine", machine.rawValue), ("state", state)])
            }
        }
    }

    private func addSuspended(_ machines: [MachineName], _ shown: Set<MachineName>, to text: inout MetricsText) {
        text.begin("wfd_suspended_machines", "gauge", "Machines that are suspended.")
        for machine in machines where shown.contains(machine) {
            text.sample("wfd_suspended_machines", 1, [("machine", machine.rawValue)])
        }
        let others = machines.count { !shown.contains($0) }
        if others > 0 { text.sample("wfd_suspended_machines", others, [("machine", Self.others)]) }
    }

    private func addInstances(_ report: EngineReport, _ shown: Set<MachineName>, to text: inout MetricsText) {
        struct Key: Hashable {
            let machine: String
            let version: String
            let status: String
        }
        var sums: [Key: Int64] = [:]
        for counted in report.tally {
            let isShown = shown.contains(counted.machine)
            let key = Key(
                machine: isShown ? counted.machine.rawValue : Self.others, version: isShown ? "\(counted.version)" : "",
                status: counted.key.status.rawValue)
            sums[key, default: 0] += counted.count
        }
        text.begin("wfd_instances", "gauge", "Instances by machine, version and status.")
        let sorted = sums.sorted {
            ($0.key.machine, $0.key.version, $0.key.status) < ($1.key.machine, $1.key.version, $1.key.status)
        }
        for (key, count) in sorted {
            text.sample(
                "wfd_instances", count, [("machine", key.machine), ("version", key.version), ("status", key.status)])
        }
    }

    private func addEvents(_ report: EngineReport, _ shown: Set<MachineName>, to text: inout MetricsText) {
        func name(_ machine: MachineName?) -> String {
            machine.flatMap { shown.contains($0) ? $0.rawValue : nil } ?? Self.others
        }
        var events: [[String]: Int] = [:]
        for (key, count) in report.counts.events {
            events[[name(report.names[key.machine]), key.kind.rawValue], default: 0] += count
        }
        text.begin("wfd_events_total", "counter", "Rows of the history, by machine and kind.")
        for (key, count) in events.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // Proof: each key has two parts, as made above.
            text.sample("wfd_events_total", count, [("machine", key[0]), ("kind", key[1])])
        }
        // Counters at 0 are written too: an increase is visible only in a counter that was there before.
        var failures: [[String]: Int] = [:]
        for machine in shown {
            for kind in RecordedFailure.Kind.allCases { failures[[machine.rawValue, kind.rawValue]] = 0 }
        }
        for (key, count) in report.counts.failures {
            failures[[name(key.machine), key.kind.rawValue], default: 0] += count
        }
        text.begin("wfd_failures_total", "counter", "Instances that have failed, by machine and type.")
        for (key, count) in failures.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // Proof: each key has two parts, as made above.
            text.sample("wfd_failures_total", count, [("machine", key[0]), ("type", key[1])])
        }
        func add(_ metric: String, _ help: String, _ counts: [MachineName: Int]) {
            var sums = Dictionary(uniqueKeysWithValues: shown.map { ($0.rawValue, 0) })
            for (machine, count) in counts { sums[name(machine), default: 0] += count }
            text.begin(metric, "counter", help)
            for (machine, count) in sums.sorted(by: { $0.key < $1.key }) {
                text.sample(metric, count, [("machine", machine)])
            }
        }
        add(
            "wfd_brakes_total", "Instances that were suspended because they did not come to rest.",
            report.counts.brakes)
        add(
            "wfd_timers_skipped_total", "Timers that came later than 'misfire' allows, and that nothing took.",
            report.counts.skippedTimers)
        text.begin(
            "wfd_refusals_total", "counter", "Requests, and lines of requests, that were answered with a problem.")
        let refusals = requests.refusals
        for type in ProblemType.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            text.sample("wfd_refusals_total", refusals[type] ?? 0, [("type", type.rawValue)])
        }
    }

    private func addTimes(_ report: EngineReport, to text: inout MetricsText) {
        let counts = report.counts
        text.begin("wfd_commit_seconds", "histogram", "How long transactions took.")
        text.sample("wfd_commit_seconds", counts.commits)
        text.begin("wfd_batch_rows", "histogram", "Rows of the history in a batch.")
        text.sample("wfd_batch_rows", counts.batches)
        text.begin("wfd_queue_wait_seconds", "histogram", "How long the oldest command of those taken together waited.")
        text.sample("wfd_queue_wait_seconds", report.waits)
        text.begin("wfd_timer_lateness_seconds", "histogram", "By how much timers came late.")
        text.sample("wfd_timer_lateness_seconds", counts.lateness)
        text.begin("wfd_request_seconds", "histogram", "How long requests took until their answer began.")
        for (route, times) in requests.requests {
            let labels = [(name: "method", value: route.method.rawValue), ("route", route.template.description)]
            text.sample("wfd_request_seconds", times, labels)
        }
    }

    private func addDisk(_ report: EngineReport, to text: inout MetricsText) {
        if let usage = report.usage {
            text.one("wfd_database_bytes", "gauge", "Bytes of the database's file.", usage.file)
            text.one("wfd_database_free_pages", "gauge", "Pages of it that nothing uses.", usage.freePages)
            text.one("wfd_wal_bytes", "gauge", "Bytes of its write-ahead log.", usage.log)
            text.one(
                "wfd_wal_reader_seconds", "gauge", "For how long a reader has kept the log from starting over.",
                usage.hold?.age(at: .now).components.seconds ?? 0)
            text.one(
                "wfd_wal_erased_seconds", "gauge", "For how long erased data has been in the log.",
                report.erasedInLog?.components.seconds ?? 0)
            if let free = usage.free {
                text.one("wfd_disk_free_bytes", "gauge", "Bytes that are left on its disk.", free)
            }
        }
        if let time = report.upkeep.backup {
            text.one(
                "wfd_last_backup_timestamp_seconds", "gauge", "When a backup was fetched last.", time.rawValue / 1_000)
        }
        if let time = report.upkeep.verification {
            text.one(
                "wfd_last_verification_timestamp_seconds", "gauge", "When a verification of everything found nothing.",
                time.rawValue / 1_000)
        }
    }
}
