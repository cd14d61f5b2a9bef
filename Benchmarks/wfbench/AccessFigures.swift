import EngineFloor

/// The figures of what tokens and TLS cost a send. Each floor is the same sends to the same program without it.
enum AccessFigures {
    static let figures: [Figure] = [
        Figure(
            id: "http.token", title: "send with a token, 64 connections / without, on the unix socket",
            unit: .perSecond, goal: .ratioAtLeast(0.97), isQuick: true,
            begin: { setting in try await TokenContest(setting, clients: 64) }),
        Figure(
            id: "http.tls", title: "send over TLS, 64 connections kept alive / over TCP, both with a token",
            unit: .perSecond, goal: .ratioAtLeast(0.8), isQuick: true,
            begin: { setting in try await EncryptedContest(setting, clients: 64) }),
    ]

    /// The number of instances that get the events, picked at random.
    static let instances = 1_000

    /// Measures a load, and notes how long the daemon computed for a send, on all its threads.
    static func measured(
        _ daemon: ServerProcess, seconds: Double, _ run: () async throws -> Sample
    ) async throws -> Sample {
        let before = try daemon.computed()
        let sample = try await run()
        let each = (try daemon.computed() - before) / max(sample.value * seconds, 1) * 1e6
        return Sample(value: sample.value, note: "wfd computed \(each.text(1)) µs a send, \(sample.note ?? "")")
    }
}
