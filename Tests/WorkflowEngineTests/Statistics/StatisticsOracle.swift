import Statechart
import WorkflowEngine
import WorkflowStore

/// The exact statistics of whole histories, computed row by row with everything in memory.
struct StatisticsOracle {
    var rows: Int64 = 0
    var visits: [String: Int64] = [:]
    /// The milliseconds of each ended stay.
    var lengths: [String: [Int64]] = [:]
    var transitions: [String: Int64] = [:]
    var failures: [String: Int64] = [:]
    /// The earliest entry of a live instance.
    var longest: [String: Timestamp] = [:]

    private let since: Timestamp?

    init(since: Timestamp? = nil) { self.since = since }

    /// Adds an instance.
    ///
    /// - Parameter isWanted: Returns false for a row of a version that does not count.
    mutating func add(
        _ history: [JournalRecord], isLive: Bool, where isWanted: (JournalRecord) -> Bool = { _ in true }
    ) {
        var entered: [String: Timestamp] = [:]
        for row in history {
            let (before, after) = (Self.active(row.from), Self.active(row.to))
            let counts = (row.real ?? row.at) >= since ?? Timestamp(rawValue: 0) && isWanted(row)
            if counts { count(row) }
            for state in before where !after.contains(state) {
                guard let begin = entered.removeValue(forKey: state) else { continue }
                if counts { lengths[state, default: []].append(max(0, row.at.rawValue - begin.rawValue)) }
            }
            for state in after where !before.contains(state) {
                entered[state] = row.at
                if counts { visits[state, default: 0] += 1 }
            }
        }
        guard isLive, let last = history.last, isWanted(last) else { return }
        for (state, begin) in entered { longest[state] = min(longest[state] ?? begin, begin) }
    }

    private mutating func count(_ row: JournalRecord) {
        rows += 1
        switch row.kind {
        case .failed: failures["\(row.event): \(Self.message(row) ?? "-")", default: 0] += 1
        case .timer where row.note?.contains("skipped") ?? false: break
        case .started, .event, .sent, .timer, .result, .retried:
            let (from, to) = (row.from.split(separator: ","), row.to.split(separator: ","))
            let left = from.filter { !to.contains($0) }
            let entered = to.filter { !from.contains($0) }
            let change = left.isEmpty && entered.isEmpty ? (from, to) : (left, entered)
            transitions["\(row.event): \(change.0) -> \(change.1)", default: 0] += 1
        default: break
        }
    }

    private static func message(_ row: JournalRecord) -> String? { RecordedFailure(note: row.note)?.message }

    /// The active states of a configuration: `a.b` is active with `a.b.c`.
    private static func active(_ configuration: String) -> Set<String> {
        var states: Set<String> = []
        for leaf in configuration.split(separator: ",") {
            var parts = leaf.split(separator: ".")
            while !parts.isEmpty {
                states.insert(parts.joined(separator: "."))
                parts.removeLast()
            }
        }
        return states
    }

    /// Returns the differences between the statistics and what they should be.
    func mistakes(of told: MachineStatistics) -> [String] {
        var mistakes: [String] = []
        func expect<Value: Equatable>(_ what: String, _ value: Value, _ expected: Value) {
            if value != expected { mistakes.append("\(what) is \(value), not \(expected)") }
        }
        expect("complete", told.isComplete, true)
        expect("rows", told.rows, rows)
        let states = Dictionary(told.states.map { ($0.path, $0) }) { first, _ in first }
        for path in Set(states.keys).union(visits.keys).union(lengths.keys).union(longest.keys).sorted() {
            let state = states[path]
            let exact = (lengths[path] ?? []).sorted()
            expect("visits of \(path)", state?.visits ?? 0, visits[path] ?? 0)
            expect("stays in \(path)", state?.stays ?? 0, Int64(exact.count))
            expect("longest in \(path)", state?.longest?.since, longest[path])
            for (percent, value) in [(50, state?.p50), (95, state?.p95)] {
                let rank: Int = (exact.count * percent + 99) / 100
                let length: Int64? = rank > 0 ? exact[rank - 1] : nil
                let off: Int64 = abs((value ?? 0) - (length ?? 0))
                if value == nil || off * 32 > length ?? 0 { expect("p\(percent) of \(path)", value, length) }
            }
        }
        let ways = told.transitions.map { ("\($0.event): \($0.from) -> \($0.to)", $0.count) }
        expect("transitions", Dictionary(ways) { $0 + $1 }, transitions)
        let causes = told.failures.map { ("\($0.event): \($0.reason?.message ?? "-")", $0.count) }
        expect("failures", Dictionary(causes) { $0 + $1 }, failures)
        return mistakes
    }
}
