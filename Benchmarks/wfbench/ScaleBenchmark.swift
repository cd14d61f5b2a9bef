import ArgumentParser
import EngineFloor
import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// Measures a daemon on a large database: the time until it is ready after a kill, its memory, and the time for a page
/// of a long history.
struct ScaleBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract: "Measures start after kill -9, memory and pages of history on a large database.")

    @Option(help: ArgumentHelp("Instances.", valueName: "n"))
    var instances: Int = 1_000_000

    @Option(help: ArgumentHelp("Instances among them with a timer.", valueName: "n"))
    var timers: Int = 100_000

    @Option(help: ArgumentHelp("Events of one instance.", valueName: "n"))
    var events: Int = 1_000_000

    func validate() throws {
        guard (1...10_000_000).contains(instances), (0...instances).contains(timers),
            (500...10_000_000).contains(events)
        else { throw ValidationError("up to 10000000 instances, as many timers, 500 to 10000000 events") }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wfbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left behind is only untidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = ContinuousClock()
        let begin = clock.now
        try await fill(folder.appending(path: "scale.db").path)
        print(
            "filled: \(instances) instances, \(timers) timers, \(events) events of one instance in \(clock.now - begin)"
        )

        let first = try await ServerProcess.daemon(in: folder, name: "scale")
        let connection = try LoadConnection(socket: first.socket)
        for _ in 0..<2_000 {
            try connection.exchange(HTTPRequestText.post("/v1/instances/hot/events", #"{"event":"flip"}"#))
        }
        connection.close()
        first.kill()
        let killed = clock.now
        let daemon = try await ServerProcess.daemon(in: folder, name: "scale")
        let second = try LoadConnection(socket: daemon.socket)
        try second.exchange(HTTPRequestText.get("/readyz"))
        second.close()
        print("ready after kill -9: \(clock.now - killed)   (goal: 2 seconds)")
        print("RssAnon at rest: \(try daemon.anonymousMiB()) MiB   (goal: 100 MiB)")
        try pages(of: daemon)
        print("RssAnon after the pages: \(try daemon.anonymousMiB()) MiB")
        daemon.kill()
    }

    /// Reads pages at places all over the history, each twice; the second time it is warm.
    private func pages(of daemon: ServerProcess) throws {
        let connection = try LoadConnection(socket: daemon.socket)
        defer { connection.close() }
        var times: [Double] = []
        for place in 0..<40 {
            for isWarm in [false, true] {
                let after = (events - 500) / 39 * place
                for query in ["after=\(after)", "after=\(after)&reverse=true"] {
                    let start = ContinuousClock.now
                    try connection.exchange(
                        HTTPRequestText.get("/v1/instances/hot/history?limit=500&\(query)"))
                    if isWarm { times.append((.now - start) / .milliseconds(1)) }
                }
            }
        }
        times.sort()
        print(
            "a page of 500 of \(events) events: median \(times[times.count / 2].text(1)) ms, "
                + "slowest of \(times.count) \((times.last ?? 0).text(1)) ms   (goal: 20 ms)")
    }

    private func fill(_ path: String) async throws {
        let running = try RunningEngine(path: path)
        let engine = running.engine
        let lamp = "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"
        let alarm = "{id: alarm, initial: set, states: {set: {after: {30d: over}}, over: {}}}"
        for text in [lamp, alarm] { _ = try await engine.apply(text, syntax: .yaml, by: .bench) }
        try await many(instances - 1) { number in
            let machine: MachineName = number < timers ? "alarm" : "lamp"
            let name = InstanceName(rawValue: "i-\(number)")
            _ = try await engine.start(StartCommand(machine: machine, instance: name, by: .bench))
        }
        _ = try await engine.start(StartCommand(machine: "lamp", instance: "hot", by: .bench))
        try await many(events) { _ in
            _ = try await engine.send(SendCommand(instance: "hot", event: Event(name: "flip"), by: .bench))
        }
        try await running.stop()
    }
}
