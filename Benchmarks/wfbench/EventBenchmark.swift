import ArgumentParser
import Foundation

/// Measures a real `wfd` process over its unix socket: durable events beside a route of the same server that does
/// nothing.
struct EventBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Measures events per second of a wfd process, beside an empty route of the same server.")

    @Option(help: ArgumentHelp("Numbers of clients, one connection each.", valueName: "n"))
    var clients: [Int] = [1, 8, 64]

    @Option(help: ArgumentHelp("Seconds of each measurement.", valueName: "s"))
    var seconds: Double = 3

    @Option(help: ArgumentHelp("Instances that the events are spread over.", valueName: "n"))
    var instances: Int = 1_000

    func validate() throws {
        guard clients.allSatisfy((1...256).contains), (0.1...60).contains(seconds), (1...100_000).contains(instances)
        else { throw ValidationError("1 to 256 clients, 0.1 to 60 seconds, 1 to 100000 instances") }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wfbench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder is only untidy
        print("clients  events/s  empty/s  ratio  p50 ms  p99 ms  events per batch")
        for count in clients {
            let daemon = try MeasuredDaemon(folder: folder, name: "run-\(count)")
            try daemon.prepare(instances: instances)
            let empty = Load(socket: daemon.socket, clients: count, seconds: seconds) { _, _ in
                HTTPRequestText.get("/livez")
            }.run()
            let events = Load(socket: daemon.socket, clients: count, seconds: seconds) { client, turn in
                let name = "i-\((client + turn * count) % instances)"
                return HTTPRequestText.post("/v1/instances/\(name)/events", #"{"event":"flip","data":{"amount":250}}"#)
            }.run()
            let batches = try daemon.stop()
            let ratio = events.perSecond / empty.perSecond
            let cells = [
                String(count), String(Int(events.perSecond)), String(Int(empty.perSecond)), ratio.text(2),
                events.percentile(0.5).text(2), events.percentile(0.99).text(2), batches.text(1),
            ]
            print(zip(cells, [7, 9, 8, 6, 7, 7, 17]).map { $0.padded($1) }.joined(separator: " "))
        }
    }
}
