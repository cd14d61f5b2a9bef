import EngineFloor

/// Sends with a token, beside the same sends by the user of the socket, over one socket of one daemon.
struct TokenContest: Contest {
    private let daemon: ServerProcess
    private let known: ClosedLoad
    private let plain: ClosedLoad
    private let seconds: Double

    init(_ setting: Setting, clients: Int) async throws {
        seconds = setting.seconds
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: AccessFigures.instances)
        let token = try daemon.makeToken()
        known = try ClosedLoad(
            socket: daemon.socket, clients: clients, book: RequestBook(flips: AccessFigures.instances, token: token))
        plain = try ClosedLoad(
            socket: daemon.socket, clients: clients, book: RequestBook(flips: AccessFigures.instances))
        for load in [known, plain] { _ = try load.run(seconds: min(0.3, seconds)) }
    }

    func ours() async throws -> Sample { try await measured(known) }

    func floor() async throws -> Sample? { try await measured(plain) }

    private func measured(_ load: ClosedLoad) async throws -> Sample {
        try await AccessFigures.measured(daemon, seconds: seconds) { try load.run(seconds: seconds).sample }
    }

    func end() async throws {
        known.close()
        plain.close()
        try daemon.stop()
    }
}
