import NaiveStatechart
import Statechart
import Testing
import ThreadTesting

/// Random machines and events: the step does what the algorithm of SCXML, Appendix D, does, naively written down.
///
/// Both sides must agree after every event on what was accepted, on the configuration, on the order of entries and
/// exits, on the context, on what history states remember, and on what comes by itself. Many machines have a second
/// version, and instances go over to it and back: both sides must agree on what has no place there too, and the row of
/// a migration must lead to the same when it is folded. `PROPERTY_SEED` tries the same machines again,
/// `PROPERTY_SEQUENCES` more of them.
@Suite(.ownThreads) struct StepPropertyTests {
    /// Runs that go on side by side.
    static let shards = 2
    /// Of a hundred machines, how many have another version.
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

    /// What is wrong with the machine of a seed; nil when nothing is.
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

    /// Each version is made smaller by itself, from the last to the first, with those events that show it still.
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
