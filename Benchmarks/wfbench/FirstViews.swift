import EngineFloor
import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// First views of pages of the console: each round starts a daemon on the same file, and asks for each page, then ten
/// times again. The value is the first time of the slowest page, from the request to the end of the answer. There is no
/// floor.
struct FirstViews: Contest {
    private let folder: URL
    /// The title and the address below `/console/` of each page.
    private let pages: [(title: String, address: String)]
    private var round = 0

    /// - Parameter fill: Writes the instances into the file of an engine.
    init(
        _ setting: Setting, of pages: [(title: String, address: String)],
        _ fill: (_ engine: Engine) async throws -> Void
    ) async throws {
        folder = setting.folder
        self.pages = pages
        let running = try RunningEngine(path: folder.appending(path: "wfd.db").path)
        try await fill(running.engine)
        try await running.stop()
    }

    mutating func ours() async throws -> Sample {
        let port = try UnixSocket.freePort()
        let daemon = try await ServerProcess.daemon(in: folder, more: ["--listen", "127.0.0.1:\(port)"])
        round += 1
        var memory = [try daemon.anonymousKiB()]
        let cookie = try ConsoleLogin.cookie(for: daemon.makeToken("person-\(round)", role: "view"), port: port)
        let connection = try LoadConnection(UnixSocket.connect(toPort: port))
        defer { connection.close() }
        var first: [Double] = []
        var notes: [String] = []
        for page in pages {
            let head = "Host: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
            let request = Array("GET /console/\(page.address) HTTP/1.1\r\n\(head)".utf8)
            let times = try (0..<11).map { _ in
                let begin = nanoseconds()
                try connection.exchange(request)
                return Double(nanoseconds() - begin) / 1e6
            }
            let again = times.dropFirst().sorted()
            first.append(times[0])
            memory.append(try daemon.anonymousKiB())
            notes.append("\(page.title) \(times[0].text(1)), again \(again[again.count / 2].text(1))")
        }
        try daemon.stop()
        let mebibytes = memory.map { (Double($0) / 1_024).text(1) }
        notes.append("RssAnon at rest and after each page: \(mebibytes.joined(separator: ", ")) MiB")
        return Sample(value: first.max() ?? 0, note: notes.joined(separator: "; "))
    }

    func floor() async throws -> Sample? { nil }

    func end() async throws {}
}

/// A machine with two regions of 100 states each, and an instance in each pair of states.
enum TalliedPairs {
    private static let side = 100

    static func fill(_ engine: Engine) async throws {
        let regions = ["a", "b"].map { region in
            let states = (0..<side).map { number in
                #""\#(region)\#(number)":{"on":{"\#(region)":"\#(region)\#((number + 1) % side)"}}"#
            }
            return #""\#(region)":{"initial":"\#(region)0","states":{\#(states.joined(separator: ","))}}"#
        }
        let source = #"{"id":"pair","type":"parallel","states":{\#(regions.joined(separator: ","))}}"#
        _ = try await engine.apply(source, syntax: .json, by: .bench)
        try await many(side * side) { number in
            let name = InstanceName(rawValue: "i-\(number)")
            _ = try await engine.start(StartCommand(machine: "pair", instance: name, by: .bench))
            for (event, count) in [("a", number / side), ("b", number % side)] {
                for _ in 0..<count {
                    _ = try await engine.send(SendCommand(instance: name, event: Event(name: event), by: .bench))
                }
            }
        }
    }
}

/// A million instances of two machines. Some have a timer, a third has had an event, and a thousand have failed.
enum MillionInstances {
    static let pages = [
        ("overview", ""), ("machines", "machines"), ("machine", "machines/lamp"), ("instance", "instances/i-500000"),
        ("instances", "instances"), ("by prefix", "instances?prefix=i-99"), ("failed", "instances?status=failed"),
        ("failed by age", "instances?status=failed&sort=age"), ("by age", "instances?sort=age"),
        ("a machine's by age", "instances?machine=lamp&sort=age"),
    ]

    static func fill(_ engine: Engine) async throws {
        let burn = "{burn: {actions: {assign: {n: 1 / context.n}}}}"
        let lamp =
            "{id: lamp, initial: off, context: {n: 0}, on: \(burn), "
            + "states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"
        let alarm = "{id: alarm, initial: set, states: {set: {after: {30d: over}}, over: {}}}"
        for text in [lamp, alarm] { _ = try await engine.apply(text, syntax: .yaml, by: .bench) }
        try await many(1_000_000) { number in
            let name = InstanceName(rawValue: "i-\(number)")
            let machine: MachineName = number % 10 == 0 ? "alarm" : "lamp"
            _ = try await engine.start(StartCommand(machine: machine, instance: name, by: .bench))
            guard number % 10 != 0, number % 3 == 0 else { return }
            _ = try await engine.send(SendCommand(instance: name, event: Event(name: "flip"), by: .bench))
            guard number % 1_000 == 3 else { return }
            // The answer tells of the failure, which is wanted.
            _ = await engine.outcome(of: SendCommand(instance: name, event: Event(name: "burn"), by: .bench))
        }
    }
}

/// An instance with a million events.
enum LongHistory {
    static let pages =
        [("now", "instances/hot")]
        + [1, 2, 250_000, 500_001, 999_999, 1_000_001].map { ("seq \($0)", "instances/hot?seq=\($0)") }

    static func fill(_ engine: Engine) async throws {
        let lamp = "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"
        _ = try await engine.apply(lamp, syntax: .yaml, by: .bench)
        _ = try await engine.start(StartCommand(machine: "lamp", instance: "hot", by: .bench))
        try await many(1_000_000) { _ in
            _ = try await engine.send(SendCommand(instance: "hot", event: Event(name: "flip"), by: .bench))
        }
    }
}
