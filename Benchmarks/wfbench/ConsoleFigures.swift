import EngineFloor
import Foundation
import Synchronization
import WorkflowThreads

/// The figures of what open pages of the console cost others, and of what its largest pages take.
enum ConsoleFigures {
    static let figures = [
        Figure(
            id: "console.pages", title: "p99 of sends at 1,000/s beside 200 open pages of instances / without",
            unit: .milliseconds, goal: .ratioAtMost(1.1), isQuick: true, begin: { try await PagesContest($0) }),
        Figure(
            id: "console.machine", title: "first view of a machine with 200 states and 10,000 rows of its tally",
            unit: .milliseconds, goal: .atMost(100), isQuick: false,
            begin: { try await FirstViews($0, of: [("machine", "machines/pair")], TalliedPairs.fill) }),
        Figure(
            id: "console.million", title: "first view beside 1,000,000 instances, of the slowest page",
            unit: .milliseconds, goal: .atMost(100), isQuick: false,
            begin: { try await FirstViews($0, of: MillionInstances.pages, MillionInstances.fill) }),
        Figure(
            id: "console.history", title: "first view of an instance with 1,000,000 events, at the slowest seq",
            unit: .milliseconds, goal: .atMost(150), isQuick: false,
            begin: { try await FirstViews($0, of: LongHistory.pages, LongHistory.fill) }),
    ]
}

/// Sends at a fixed rate while pages of instances are open. The floor is the same sends without pages.
struct PagesContest: Contest {
    private static let pages = 200
    private static let rate = 1_000
    private let daemon: ServerProcess
    private let load: OpenLoad
    private let port: Int
    /// The sessions of as many people, each with as many pages as it may have streams.
    private let cookies: [String]
    private let seconds: Double

    init(_ setting: Setting) async throws {
        let instances = 1_000
        // The 99th percentile of less than a second says nothing, and a page is renewed once a second.
        seconds = max(setting.seconds, 3)
        port = try UnixSocket.freePort()
        daemon = try await .daemon(in: setting.folder, more: ["--listen", "127.0.0.1:\(port)"])
        try daemon.prepare(instances: instances)
        load = try OpenLoad(socket: daemon.socket, connections: 64, book: RequestBook(flips: instances))
        cookies = try (0..<Self.pages / 4).map { [daemon, port] number in
            try ConsoleLogin.cookie(for: daemon.makeToken("person-\(number)", role: "view"), port: port)
        }
        _ = try load.run(perSecond: Double(Self.rate), seconds: 0.5)
    }

    func ours() async throws -> Sample {
        let pages = try OpenPages(Self.pages, port: port, cookies: cookies)
        defer { pages.close() }
        let computed = try daemon.computed()
        let reading = ReadingThread(pages)
        let sample = try measured()
        let renewals = try reading.stop()
        guard renewals > 0 else { throw BenchmarkError("no page was renewed") }
        let share = (try daemon.computed() - computed) / seconds
        return Sample(
            value: sample.value,
            note: (sample.note ?? "") + ", \(renewals) renewals, the daemon used \(share.text(2)) cores")
    }

    func floor() async throws -> Sample? { try measured() }

    private func measured() throws -> Sample {
        let latencies = try load.run(perSecond: Double(Self.rate), seconds: seconds)
        return Sample(value: latencies.milliseconds(99), note: latencies.percentilesText)
    }

    func end() async throws {
        load.close()
        try daemon.stop()
    }
}

/// Reads pages on a thread of its own, which lets all others go first: browsers run on other machines.
private final class ReadingThread: Sendable {
    private let isOver = Mutex(false)
    private let result = Mutex<Result<Int, any Error>?>(nil)

    init(_ pages: OpenPages) {
        // Used by this thread alone until it has ended.
        nonisolated(unsafe) let pages = pages
        startThread("pages", turns: .later) { [self] in
            let renewals = Result { try pages.read { isOver.withLock { $0 } } }
            result.withLock { $0 = renewals }
        }
    }

    /// Ends the thread, and returns the number of renewals.
    func stop() throws -> Int {
        isOver.withLock { $0 = true }
        while true {
            if let result = result.withLock({ $0 }) { return try result.get() }
            usleep(1_000)
        }
    }
}
