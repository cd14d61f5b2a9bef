import EngineFloor
import Foundation

/// The figures of single events over HTTP to a real `wfd` process, which are durable when they are answered. The floor
/// is the same server with a route that decodes, does nothing and answers.
enum HTTPFigures {
    static let figures: [Figure] =
        [1, 8, 64, 256].map { clients in
            send(
                "http.send.\(clients)",
                "send, \(clients == 1 ? "one connection" : "\(clients) connections") / empty route", clients: clients,
                goal: clients == 64 ? .ratioAtLeast(0.75) : nil, isQuick: clients == 1 || clients == 64)
        } + [
            send(
                "http.send.64.uuid7", "send with a UUIDv7 key, 64 connections / empty route",
                book: RequestBook(flips: instances, keyed: true)),
            send(
                "http.send.64.100B", "send with 100 B of data, 64 connections / empty route",
                book: RequestBook(flips: instances, data: text(bytes: 100))),
            send(
                "http.send.64.10KiB", "send with 10 KiB of data, 64 connections / empty route",
                book: RequestBook(flips: instances, data: text(bytes: 10_240))),
            Figure(
                id: "http.send.64.readers",
                title: "send, 64 connections, while 8 clients list and tail / without them", unit: .perSecond,
                goal: nil, isQuick: false,
                begin: { setting in try await ReadersContest(setting, instances: instances, clients: 64) }),
        ]

    /// The number of instances that get the events, picked at random.
    static let instances = 1_000

    private static func send(
        _ id: String, _ title: String, clients: Int = 64, goal: Figure.Goal? = nil, isQuick: Bool = false,
        book: RequestBook = RequestBook(flips: instances)
    ) -> Figure {
        Figure(
            id: id, title: title, unit: .perSecond, goal: goal, isQuick: isQuick,
            begin: { setting in try await SendContest(setting, instances: instances, clients: clients, book: book) })
    }

    /// Returns JSON of a number of bytes.
    private static func text(bytes: Int) -> String {
        let frame = #"{"text":""}"#
        return #"{"text":"\#(String(repeating: "x", count: bytes - frame.utf8.count))"}"#
    }
}

/// The same requests to `wfd` and to the empty server, by the same client.
struct SendContest: Contest {
    private let daemon: ServerProcess
    private let empty: ServerProcess
    private let load: ClosedLoad
    private let floorLoad: ClosedLoad
    private let seconds: Double

    init(_ setting: Setting, instances: Int, clients: Int, book: RequestBook) async throws {
        seconds = setting.seconds
        daemon = try await .daemon(in: setting.folder)
        empty = try await .empty(in: setting.folder)
        try daemon.prepare(instances: instances)
        load = try ClosedLoad(socket: daemon.socket, clients: clients, book: book)
        floorLoad = try ClosedLoad(socket: empty.socket, clients: clients, book: book)
        // Neither side's first requests count.
        for one in [load, floorLoad] { _ = try one.run(seconds: min(0.3, seconds)) }
    }

    func ours() async throws -> Sample { try load.run(seconds: seconds).sample }

    func floor() async throws -> Sample? { try floorLoad.run(seconds: seconds).sample }

    func end() async throws {
        load.close()
        floorLoad.close()
        try daemon.stop()
        try empty.stop()
    }
}

/// Sends while others read, beside the same sends to the same daemon while nobody reads.
struct ReadersContest: Contest {
    private let daemon: ServerProcess
    private let load: ClosedLoad
    private let instances: Int
    private let seconds: Double

    init(_ setting: Setting, instances: Int, clients: Int) async throws {
        seconds = setting.seconds
        self.instances = instances
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: instances)
        load = try ClosedLoad(socket: daemon.socket, clients: clients, book: RequestBook(flips: instances))
        _ = try load.run(seconds: min(0.3, seconds))
    }

    func ours() async throws -> Sample {
        // Ten milliseconds between two pages, as who shows something to people takes at least.
        let readers = BackgroundWork(
            try (0..<8).map { number in
                number % 2 == 0
                    ? try Readers.list(daemon.socket, rest: 10_000)
                    : try Readers.tail(daemon.socket, instance: "i-\(number * 31 % instances)", rest: 10_000)
            })
        let outcome = try load.run(seconds: seconds)
        let pages = try readers.stop()
        return Sample(
            value: outcome.perSecond,
            note: outcome.latencies.percentilesText + ", \(Int(Double(pages) / seconds)) pages/s")
    }

    func floor() async throws -> Sample? { try load.run(seconds: seconds).sample }

    func end() async throws {
        load.close()
        try daemon.stop()
    }
}
