import NaiveStatechart
import Testing

/// Random machines and events: the step does what the algorithm of SCXML, Appendix D, does, naively written down.
///
/// Both sides must agree after every event on what was accepted, on the configuration, on the order of entries and
/// exits, on the context, on what history states remember, and on what comes by itself. `PROPERTY_SEED` tries the same
/// machines again, `PROPERTY_SEQUENCES` more of them.
@Suite struct StepPropertyTests {
    /// Runs that go on side by side.
    static let shards = 2

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
        let adapter: StepAdapter
        do throws(StepAdapter.Refused) {
            adapter = try StepAdapter(machine.definition.compact)
        } catch {
            return "a legal machine is refused\n\(PropertyRun.command(seed: seed))\n\(machine.definition.readable())\n"
                + error.mistakes.joined(separator: "\n")
        }
        comparison.isPatient = generator.isLively
        for _ in 0..<PropertyRun.sequencesPerMachine {
            let stimuli = generator.stimuli(for: machine)
            if let difference = comparison.difference(machine, adapter, stimuli) {
                return report(difference, of: machine, seed: seed)
            }
            if comparison.isRefusedAtStart { break }
        }
        return nil
    }

    private static func report(_ difference: Comparison.Difference, of machine: ModelMachine, seed: UInt64) -> String {
        var shrinker = Shrinker(machine, difference.stimuli) { Comparison.difference($0, $1)?.stimuli }
        shrinker.shrink()
        let shown = Comparison.difference(shrinker.machine, shrinker.stimuli) ?? difference
        return """
            \(shown.what)
            \(PropertyRun.command(seed: seed))
            \(shrinker.machine.definition.readable())
            events: \(shown.stimuli.isEmpty ? "none, it is the start" : "\(shown.stimuli)")
            step:  \(shown.step)
            naive: \(shown.naive)
            """
    }
}
