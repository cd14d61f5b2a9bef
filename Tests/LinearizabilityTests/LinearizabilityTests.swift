import DaemonTesting
import Testing
import ThreadTesting

/// Tests many clients of one daemon that is killed again and again. Their answers must be those of a single lamp that
/// they use one after another.
@Suite(.tags(.heavy)) struct LinearizabilityTests {
    private static let clients = 16
    private static let definition = """
        id: lamp
        initial: off
        states:
          off: {on: {flip: on, on: on}}
          on: {on: {flip: off, off: off}}
        """
    private static let lamps = (1...4).map { "lamp-\($0)" }

    @Test(.timeLimit(.minutes(180))) func theAnswersAreThoseOfOneLampUsedByOneAfterAnother() async throws {
        let killed = KilledDaemon()
        print("clients: seed \(killed.seed), \(Self.clients) clients, \(killed.kills) kills")
        let count = try await killed.check(Self.start) { file, clock in
            (0..<Self.clients).map { number in
                LampClient(
                    number: number, lamps: Self.lamps, clock: clock,
                    random: SeededRandom(seed: killed.seed, file, number))
            }
        } end: { _, _ in
        }
        if let count { print("clients: seed \(killed.seed), \(killed.kills) kills, \(count)") }
    }

    private static func start(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        let applied = try await daemon.answer(to: .post("/v1/machines", definition, as: "application/yaml"))
        guard applied.status == 201 else { throw TestingError(applied.text) }
        for lamp in lamps {
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "lamp", "instance": "\#(lamp)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
        return daemon
    }
}
