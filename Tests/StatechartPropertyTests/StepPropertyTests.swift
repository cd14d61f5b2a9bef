import NaiveStatechart
import Statechart
import Testing
import ThreadTesting

/// Tests random machines and events: the step must agree with the algorithm of SCXML, Appendix D, naively written down.
///
/// After every event both sides must agree on acceptance, configuration, the order of entries and exits, context,
/// history states, and items that come by themselves. Many machines have a second version, and instances migrate to it
/// and back. Both sides must agree on the misfits too, and a fold of a migration's row must give the same result.
/// `PROPERTY_SEED` tries the same machines again, `PROPERTY_SEQUENCES` more of them.
@Suite(.ownThreads) struct StepPropertyTests {
    /// The number of concurrent runs.
    static let shards = 2
    /// The percentage of machines that have another version.
    static let migrating = 50

    @Test(arguments: 0..<shards)
    func theStepDoesWhatTheNaiveAlgorithmDoes(shard: Int) {
        let run = PropertyRun.current
        var comparison = Comparison()
        if shard == 0 { print("StepPropertyTests: PROPERTY_SEED=\(run.seed) PROPERTY_SEQUENCES=\(run.sequences)") }
        for number in stride(from: shard, to: run.machines, by: Self.shards) {
            if let report = Self.report(seed: run.seed &+ UInt64(number), &comparison) {
                Issue.record("after \(number * PropertyRun.sequencesPerMachine) sequences: \(report)")
                return
            }
        }
        print("StepPropertyTests: \(comparison.summary)")
    }

    /// Returns the failure of a seed's machine; `nil` if there is none.
    private static func report(seed: UInt64, _ comparison: inout Comparison) -> String? {
        var generator = MachineGenerator(seed: seed)
        let machine = generator.machine()
        var machines: [Machine]
        do throws(StepAdapter.Refused) {
            machines = [try StepAdapter.read(machine)]
        } catch {
            return "a legal machine is refused\n\(PropertyRun.command(seed: seed))\n\(machine.definition.readable())\n"
                + error.mistakes.joined(separator: "\n")
        }
        comparison.isPatient = generator.isLively
        let next = generator.random.chance(Self.migrating) ? generator.legalVersion(after: machine) : nil
        if let next { machines.append(next.read) }
        let (models, adapter) = ([machine] + (next.map { [$0.machine] } ?? []), StepAdapter(machines))
        for _ in 0..<PropertyRun.sequencesPerMachine {
            let stimuli = next.map { generator.stimuli(for: machine, $0) } ?? generator.stimuli(for: machine)
            if let difference = comparison.difference(models, adapter, stimuli) {
                return report(difference, of: models, seed: seed)
            }
            if comparison.isRefusedAtStart { break }
        }
        return nil
    }

    /// Shrinks each version separately, from the last to the first, with the events that still show the difference.
    private static func report(
        _ difference: Comparison.Difference, of machines: [ModelMachine], seed: UInt64
    ) -> String {
        var (machines, stimuli) = (machines, difference.stimuli)
        for place in machines.indices.reversed() {
            let all = machines
            var shrinker = Shrinker(all[place], stimuli) { machine, stimuli in
                var changed = all
                changed[place] = machine
                return Comparison.difference(changed, stimuli)?.stimuli
            }
            shrinker.shrink()
            (machines[place], stimuli) = (shrinker.machine, shrinker.stimuli)
        }
        let shown = Comparison.difference(machines, stimuli) ?? difference
        return """
            \(shown.what)
            \(PropertyRun.command(seed: seed))
            \(machines.map { $0.definition.readable() }.joined(separator: "\n"))
            events: \(shown.stimuli.isEmpty ? "none, it is the start" : "\(shown.stimuli)")
            step:  \(shown.step)
            naive: \(shown.naive)
            """
    }
}
