import WorkflowAPI

/// The rehearsal of a migration of many instances, for people.
enum MigrationText {
    /// The instances that move from one configuration to another.
    private struct Move {
        var from: String
        var to: String
        /// The configuration at the end, if it differs from `to`.
        var then: String
        /// The different configurations that `from` stands for.
        var places: Set<[String]>
        var count: Int64
        var timers: BulkRehearsal.Timers
        /// The texts for the case that `from` stands for one configuration.
        let only: (from: String, to: String)

        init(_ group: BulkRehearsal.Group) {
            let (from, targets) = (group.from ?? [], group.targets ?? [])
            let end = group.configuration ?? []
            only = (StateText.leaves(from), group.configuration == nil ? "elsewhere" : StateText.leaves(targets))
            (self.from, to) = Self.common(from, targets) ?? only
            then = end == targets || group.configuration == nil ? "-" : StateText.leaves(end)
            places = [from]
            count = group.count
            timers = group.timers ?? BulkRehearsal.Timers()
        }

        /// Returns `review.*` and `check.*` if everything below one state moves to the same below another.
        private static func common(_ from: [String], _ targets: [String]) -> (String, String)? {
            guard from.count == targets.count else { return nil }
            var found: (old: Substring, new: Substring)?
            for (path, target) in zip(from, targets) {
                guard let dot = path.firstIndex(of: ".") else { return nil }
                let rest = path[dot...]
                guard target.hasSuffix(rest) else { return nil }
                let pair = (old: path[..<dot], new: target.dropLast(rest.count))
                if let found, found != pair { return nil }
                found = pair
            }
            return found.map { ("\($0.old).*", "\($0.new).*") }
        }

        mutating func add(_ other: Move) {
            places.formUnion(other.places)
            count += other.count
            timers.kept += other.timers.kept
            timers.ended += other.timers.ended
            timers.due += other.timers.due
            timers.new += other.timers.new
        }

        var names: (from: String, to: String) { places.count == 1 ? only : (from, to) }
    }

    /// Returns a table of the moves, the misfits, and the number of fitting instances.
    static func lines(for rehearsal: BulkRehearsal, _ action: BulkAction) -> StyledText {
        var moves: [Move] = []
        for move in rehearsal.groups.map(Move.init) {
            if let place = moves.firstIndex(where: { ($0.from, $0.to, $0.then) == (move.from, move.to, move.then) }) {
                moves[place].add(move)
            } else {
                moves.append(move)
            }
        }
        let since = action.plan.timers == .fromNow ? "from now" : "since entry"
        var table = Table<Move>([
            .init("FROM", style: .state) { $0.names.from },
            .init("TO", style: .state) { $0.names.to },
            .init("COUNT") { BulkText.grouped($0.count) },
            .init("TIMERS") { timers($0.timers, since) },
            .init("THEN") { $0.then },
        ])
        var text = StyledText(lines: moves.isEmpty ? "" : table.lines(for: moves))
        text = text + BulkText.effects(of: rehearsal)
        for misfit in rehearsal.misfits ?? [] {
            let count = BulkText.grouped(misfit.count)
            text = text + "\("misfit", .bad)  \(misfit.place) (\(count)): \(misfit.reason)\n"
        }
        let others = rehearsal.told.filter { $0.outcome != "misfit" }
        text = text + BulkText.lines(for: others, of: rehearsal.counts.left - rehearsal.counts.misfit)
        return text + "\(summary(rehearsal.counts))   digest \(rehearsal.digest.prefix(6))\n"
    }

    /// Returns the counts: `1,602 fit, 8 do not`.
    private static func summary(_ counts: BulkCounts) -> String {
        if counts.total == 0 { return "nothing is selected" }
        var parts = ["\(BulkText.grouped(counts.done)) fit"]
        if counts.misfit > 0 {
            parts.append("\(BulkText.grouped(counts.misfit)) \(counts.misfit == 1 ? "does" : "do") not")
        }
        if counts.refused > 0 { parts.append("\(BulkText.grouped(counts.refused)) would be refused") }
        if counts.passedOver > 0 { parts.append("\(BulkText.grouped(counts.passedOver)) would be passed over") }
        return parts.joined(separator: ", ")
    }

    /// Returns the timers: `88 new after.5d since entry, 3 due at once`.
    private static func timers(_ timers: BulkRehearsal.Timers, _ since: String) -> String {
        var parts = timers.kept > 0 ? ["\(BulkText.grouped(timers.kept)) kept"] : []
        var new: [(event: String, count: Int64)] = []
        for timer in timers.new {
            // `after.5d` of `after.5d.packing`.
            let event = timer.event.split(separator: ".").prefix(2).joined(separator: ".")
            if let place = new.firstIndex(where: { $0.event == event }) {
                new[place].count += timer.count
            } else {
                new.append((event, timer.count))
            }
        }
        // Timeouts of invocations count from the begin of the invocation.
        parts += new.map { timer in
            let isTimeout = timer.event.hasPrefix("error.")
            return "\(BulkText.grouped(timer.count)) new \(isTimeout ? "timeouts" : "\(timer.event) \(since)")"
        }
        if timers.due > 0 { parts.append("\(BulkText.grouped(timers.due)) due at once") }
        if timers.ended > 0 { parts.append("\(BulkText.grouped(timers.ended)) ended") }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }
}
