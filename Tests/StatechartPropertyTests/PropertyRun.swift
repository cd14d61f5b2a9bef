import Foundation

/// The number of tried machines and their seed: `PROPERTY_SEQUENCES` and `PROPERTY_SEED` in the environment.
struct PropertyRun {
    /// The sequences of events for each machine.
    static let sequencesPerMachine = 4
    /// The number of sequences in an ordinary run of the tests.
    static let ordinary = 1_000

    let sequences: Int
    /// The seed of the first machine; each further machine has the next number.
    let seed: UInt64

    /// The run that the environment asks for. Without a seed there, it is another one every time.
    static let current = PropertyRun(ProcessInfo.processInfo.environment)

    init(_ environment: [String: String]) {
        sequences = environment["PROPERTY_SEQUENCES"].flatMap(Int.init) ?? Self.ordinary
        seed = environment["PROPERTY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000_000)
    }

    var machines: Int { max(1, sequences / Self.sequencesPerMachine) }

    /// Returns the command that tries one machine again.
    static func command(seed: UInt64) -> String {
        "PROPERTY_SEED=\(seed) PROPERTY_SEQUENCES=\(sequencesPerMachine) swift test --filter StatechartPropertyTests"
    }
}
