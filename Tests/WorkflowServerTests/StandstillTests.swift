import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer

/// Tests a writer that makes no progress.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct StandstillTests {
    /// Holds the writer up after a commit, as a disk that does not answer may.
    ///
    /// `@unchecked Sendable`: `isShut` is read and written under `condition` only.
    private final class HeldCommits: CommitObserver, @unchecked Sendable {
        private let condition = NSCondition()
        private var isShut = false

        func committed(_ committed: Committed) {
            condition.lock()
            while isShut { condition.wait() }
            condition.unlock()
        }

        func shut() { change(to: true) }

        func open() { change(to: false) }

        private func change(to isShut: Bool) {
            condition.lock()
            self.isShut = isShut
            condition.broadcast()
            condition.unlock()
        }
    }

    @Test func aWriterThatDoesNotTurnIsNotReadyUntilItDoes() async throws {
        var limits = EngineLimits()
        limits.writerPatience = .milliseconds(200)
        let commits = HeldCommits()
        let host = try await ServerHost(engine: limits, observers: [commits])
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            _ = try Self.answer(of: 200, connection)
            commits.shut()
            let definition = "{id: m, initial: a, states: {a: {}}}"
            let applied = try connection.answer(to: .post("/v1/machines", definition, as: "application/yaml"))
            #expect(applied.status == 201)
            let refused = try Self.answer(of: 503, connection)
            #expect(try refused.object["type"] == "storage-unavailable")
            let detail = try refused.object["detail"]?.string ?? ""
            let reason = /Nothing can be written: the writer has been busy with one thing for \d+ s/
            #expect(detail.wholeMatch(of: reason) != nil, "\(detail)")
            #expect(refused.headers["retry-after"] != nil)
            let metrics = try connection.answer(to: .get("/metrics")).text
            #expect(metrics.contains("\nwfd_ready 0\n"))
            #expect(try connection.answer(to: .get("/livez")).status == 200)
            commits.open()
            #expect(try Self.answer(of: 200, connection).object["status"] == "ready")
        }
        try await host.stop()
    }

    /// Repeats a request until the answer has a status.
    private static func answer(of status: Int, _ connection: RawConnection) throws -> RawAnswer {
        let begin = ContinuousClock.now
        while true {
            let answer = try connection.answer(to: .get("/readyz"))
            if answer.status == status { return answer }
            guard ContinuousClock.now - begin < .seconds(40) else {
                throw TestingError("readyz is not \(status): \(answer.text)")
            }
        }
    }
}
