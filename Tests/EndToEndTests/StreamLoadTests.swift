import DaemonTesting
import Foundation
import GRDB
import Synchronization
import Testing
import WorkflowAPI
import WorkflowClient

/// Tests clients that send while streams are read, killed and begun again.
///
/// It takes a few seconds. With `STREAM_MINUTES=10` it takes that long, with 16 clients and 50 streams, and the memory
/// must stay constant.
@Suite struct StreamLoadTests {
    private static let minutes = ProcessInfo.processInfo.environment["STREAM_MINUTES"].flatMap { Double($0) }
    private static let seconds = minutes.map { $0 * 60 } ?? 4
    private static let clients = minutes == nil ? 4 : 16
    private static let streams = minutes == nil ? 10 : 50
    private static let instances = 200

    private static let machine = """
        id: lamp
        initial: dark
        states:
          dark: {on: {flip: lit}}
          lit: {on: {flip: dark}}
        """

    /// Returns the kilobytes of a process's own memory.
    private static func memory(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        guard let line = status.firstMatch(of: /RssAnon:\s+(\d+) kB/), let kilobytes = Int(line.1) else {
            throw TestingError("no RssAnon")
        }
        return kilobytes
    }

    @Test(.timeLimit(.minutes(30))) func noRowIsLostOrDoubled() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        _ = try await daemon.said("apply", try folder.write(Self.machine, to: "lamp.yaml"))
        let pid = daemon.pid
        let load = StreamLoad(address: daemon.address, streams: Self.streams) { try Self.memory(of: pid) }
        try await daemon.withClient { client in
            for number in 0..<Self.instances {
                _ = try await client.start(StartRequest(machine: "lamp", instance: "l-\(number)"))
            }
        }
        load.sent(Self.instances)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.streams {
                group.addTask {
                    try await onOwnThread { try load.read(number, SeededRandom(seed: seed, number)) }
                }
            }
            try await load.send(Self.clients, Self.instances, warm: end - .seconds(Self.seconds * 0.7), until: end)
            try await group.waitForAll()
        }
        let (warm, most) = load.memory
        let rows = try DatabaseFile(daemon.database).number("SELECT count(*) FROM journal")
        #expect(load.counts == Array(repeating: Int(rows), count: Self.streams))
        let last = try Self.memory(of: pid)
        print(
            "\(rows) rows by \(Self.clients) clients to \(Self.streams) streams, which were cut \(load.cuts) times; "
                + "RssAnon \((warm ?? 0) >> 10) MiB, \(most >> 10) MiB at most, \(last >> 10) MiB at the end")
        if Self.minutes != nil, let warm { #expect(abs(last - warm) * 10 <= warm, "RssAnon is flat within 10 %") }
        #expect(most < 256 << 10)
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await daemon.stop().end == .exited(0))
    }
}

/// The sending clients and the reading streams.
private final class StreamLoad: Sendable {
    private struct State {
        var sent = 0
        var isOver = false
        var counts: [Int]
        var cuts = 0
        /// The daemon's memory after the warm-up, and its maximum.
        var memory: (warm: Int?, most: Int) = (nil, 0)
    }

    private let address: Address
    private let measure: @Sendable () throws -> Int
    private let state: Mutex<State>

    /// - Parameter measure: Returns the memory of the daemon.
    init(address: Address, streams: Int, measure: @escaping @Sendable () throws -> Int) {
        self.address = address
        self.measure = measure
        state = Mutex(State(counts: Array(repeating: 0, count: streams)))
    }

    var counts: [Int] { state.withLock { $0.counts } }
    var cuts: Int { state.withLock { $0.cuts } }
    var memory: (warm: Int?, most: Int) { state.withLock { $0.memory } }

    func sent(_ count: Int) { state.withLock { $0.sent += count } }

    /// The number of events by which the slowest stream is behind.
    private var lag: Int { state.withLock { $0.sent - ($0.counts.min() ?? 0) } }

    /// Lets clients send until an end, and tells the readers when everything is sent: each gets one more row. Measures
    /// the daemon's memory meanwhile.
    func send(
        _ clients: Int, _ instances: Int, warm: ContinuousClock.Instant, until end: ContinuousClock.Instant
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { senders in
            for number in 0..<clients {
                senders.addTask {
                    try await self.send(number, of: clients, instances, until: end) {
                        if number == 0 { try self.look(warm: warm) }
                    }
                }
            }
            try await senders.waitForAll()
        }
        state.withLock { state in
            state.sent += 1
            state.isOver = true
        }
        let client = WorkflowClient(address: address)
        _ = try await client.send(SendRequest(event: "flip"), to: "l-0")
        await client.shutdown()
    }

    /// Sends events to instances of its own, one after another, and waits for streams that are far behind.
    ///
    /// - Parameter look: A function that is called after each event.
    private func send(
        _ number: Int, of clients: Int, _ instances: Int, until end: ContinuousClock.Instant, look: () throws -> Void
    ) async throws {
        let client = WorkflowClient(address: address)
        var place = number
        while .now < end {
            try await eventually("the streams have come near") { lag <= 5_000 || .now >= end }
            _ = try await client.send(SendRequest(event: "flip"), to: "l-\(place)")
            sent(1)
            try look()
            place = (place + clients) % instances
        }
        await client.shutdown()
    }

    private func look(warm: ContinuousClock.Instant) throws {
        let now = try measure()
        state.withLock { state in
            if state.memory.warm == nil, .now > warm { state.memory.warm = now }
            state.memory.most = max(state.memory.most, now)
        }
    }

    /// Reads a stream from the start until it has everything; drops its connection now and then.
    func read(_ number: Int, _ random: SeededRandom) throws {
        var random = random
        var last: String?
        var seqs: [Substring: Int] = [:]
        while true {
            let headers = last.map { [(name: "Last-Event-ID", value: $0)] } ?? []
            let reader = try EventReader("/v1/stream?after=start", of: address, headers: headers)
            guard reader.status == 200 else { throw TestingError("status \(reader.status)") }
            for _ in 0..<Int.random(in: 1...5_000, using: &random) {
                let isDone = state.withLock { $0.isOver && $0.counts[number] >= $0.sent }
                if isDone { return }
                guard let message = try reader.next() else { throw TestingError("the stream has ended") }
                guard let data = message.data else { continue }
                last = message.id
                let (name, seq) = try Self.read(data)
                guard seqs[name, default: 0] + 1 == seq else {
                    throw TestingError("stream \(number): \(name) has \(seq) behind \(seqs[name] ?? 0)")
                }
                seqs[name] = seq
                state.withLock { $0.counts[number] += 1 }
            }
            state.withLock { $0.cuts += 1 }
        }
    }

    /// Reads the instance and the seq, and skips the rest.
    private static func read(_ data: String) throws -> (Substring, Int) {
        let words = data.split(separator: "\"", maxSplits: 15)
        guard words.count > 12, words[1] == "instance", words[9] == "version", words[11] == "seq",
            let seq = Int(words[12].dropFirst().dropLast())
        else { throw TestingError("no row: \(data)") }
        return (words[3], seq)
    }
}
