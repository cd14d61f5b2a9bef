import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests streams of large rows that nobody reads.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct UnreadStreamsTests {
    private static let streams = 100
    /// The limit that `streaming.md` promises, with room for memory that the allocator keeps and the database caches.
    /// Without a limit it was 230 MiB.
    private static let bound = 160 << 20

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(UnreadAnswersOfDaemonTests.log, to: "log.yaml"))
        _ = try await daemon.said("start", "log", "a")
    }

    /// Returns the bytes of the process's own memory.
    private func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(daemon.pid)/status", encoding: .utf8)
        guard let line = status.firstMatch(of: /RssAnon:\s+(\d+) kB/), let kilobytes = Int(line.1) else {
            throw TestingError("no RssAnon")
        }
        return kilobytes << 10
    }

    /// Sends events of a megabyte each.
    private func fill(rows: Int) throws {
        let connection = try RawConnection(to: daemon.address)
        let data = String(repeating: "x", count: 1_000_000)
        let event = RawRequest.post("/v1/instances/a/events", #"{"event": "note", "data": "\#(data)"}"#)
        for _ in 0..<rows { #expect(try connection.answer(to: event).status == 200) }
    }

    /// Returns the most memory above a level for some seconds, in which others are served.
    private func most(above before: Int) throws -> Int {
        var most = 0
        let begin = ContinuousClock.now
        let connection = try RawConnection(to: daemon.address)
        while ContinuousClock.now - begin < .seconds(5) {
            #expect(try connection.answer(to: .get("/v1/instances/a")).status == 200)
            most = max(most, try memory() - before)
        }
        return most
    }

    @Test(arguments: ["/v1/stream?after=start", "/v1/instances/a/stream?after=start"])
    func rowsOfThePastTakeABoundedMemory(target: String) async throws {
        try await onOwnThread {
            try fill(rows: 20)
            let before = try memory()
            var connections: [RawConnection] = []
            for _ in 0..<Self.streams {
                let connection = try RawConnection(to: daemon.address)
                try connection.write(RawRequest.get(target).bytes)
                connections.append(connection)
            }
            let most = try most(above: before)
            print("RssAnon: \(before >> 20) MiB before, \(most >> 20) MiB more at most")
            #expect(most < Self.bound, "\(most >> 20) MiB")
            withExtendedLifetime(connections) {}
        }
    }

    @Test func rowsThatComeTakeABoundedMemory() async throws {
        try await onOwnThread {
            var connections: [RawConnection] = []
            for _ in 0..<Self.streams {
                let connection = try RawConnection(to: daemon.address)
                try connection.write(RawRequest.get("/v1/stream").bytes)
                #expect(try connection.readHead().status == 200)
                connections.append(connection)
            }
            let before = try memory()
            try fill(rows: 20)
            let most = try most(above: before)
            print("RssAnon: \(before >> 20) MiB before, \(most >> 20) MiB more at most")
            #expect(most < Self.bound, "\(most >> 20) MiB")
            withExtendedLifetime(connections) {}
        }
    }

    /// A reader gets every row, complete.
    @Test func whoReadsLargeRowsHasAllOfThem() async throws {
        try await onOwnThread {
            try fill(rows: 10)
            let connection = try RawConnection(to: daemon.address)
            try connection.write(RawRequest.get("/v1/stream?after=start").bytes)
            let head = try connection.readHead()
            #expect(head.status == 200)
            var text: [UInt8] = []
            while text.count < 10_000_000 { text += try connection.readChunk() }
            try fill(rows: 1)
            while text.count < 11_000_000 || text.suffix(2) != [0x0A, 0x0A] { text += try connection.readChunk() }
            let events = String(decoding: text, as: UTF8.self).components(separatedBy: "\n\n")
                .filter { $0.contains("event: transition") }
            #expect(events.compactMap { $0.firstMatch(of: /"seq":(\d+)/).flatMap { Int($0.1) } } == Array(1...12))
            #expect(events.dropFirst().allSatisfy { $0.utf8.count > 1_000_000 && $0.hasSuffix("}") })
        }
    }
}
