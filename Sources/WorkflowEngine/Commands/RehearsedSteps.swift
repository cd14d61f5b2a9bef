import Statechart

/// Collects what a dry run tells of its macrosteps, within bounds: answers are kept until their callers take them.
enum RehearsedSteps {
    /// The most microsteps.
    private static let microsteps = 100
    /// The most actions of a microstep, and the most characters of an action's text.
    private static let actions = 100
    private static let characters = 500
    /// The most transitions that were tried.
    private static let candidates = 1_000
    /// The bytes of read values after which transitions come without values.
    private static let valueBytes = 256 << 10

    static func microsteps(of links: [Chain.Link]) -> [Microstep] {
        links.lazy.flatMap(\.macrostep.microsteps).prefix(microsteps).map {
            $0.shortened(actions: actions, characters: characters)
        }
    }

    static func candidates(of links: [Chain.Link], in machine: Machine) -> [CandidateView] {
        var bytes = 0
        return links.lazy.flatMap(\.macrostep.findings).prefix(candidates).map { finding in
            bytes += finding.reads.reduce(0) { $0 + ($1.value?.size ?? 0) }
            return CandidateView(finding, of: machine, hasReads: bytes <= valueBytes)
        }
    }
}
