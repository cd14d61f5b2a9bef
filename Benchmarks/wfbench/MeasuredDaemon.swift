import Foundation

/// A `wfd` process on a database of its own, with a two-state machine and its instances.
final class MeasuredDaemon {
    let socket: String
    private let process = Process()
    private let log: URL
    private var instances = 0

    /// Starts the `wfd` beside this program and waits until it answers.
    init(folder: URL, name: String) throws {
        socket = folder.appending(path: "\(name).sock").path
        log = folder.appending(path: "\(name).log")
        try Data().write(to: log)
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "wfd")
        process.arguments = [
            "--database", folder.appending(path: "\(name).db").path, "--listen", "unix:\(socket)",
        ]
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 20)
        while (try? Connection(socket: socket)) == nil {
            guard Date() < deadline, process.isRunning else { throw BenchmarkError("wfd did not start; see its log") }
            sched_yield()
        }
    }

    /// Stores the machine and starts the instances.
    func prepare(instances: Int) throws {
        self.instances = instances
        let connection = try Connection(socket: socket)
        let states = #"{"off":{"on":{"flip":"on"}},"on":{"on":{"flip":"off"}}}"#
        let definition = #"{"id":"flip","initial":"off","states":\#(states)}"#
        try connection.expect(201, for: HTTPRequestText.post("/v1/machines", definition))
        for number in 0..<instances {
            let body = #"{"machine":"flip","instance":"i-\#(number)"}"#
            try connection.expect(201, for: HTTPRequestText.post("/v1/instances", body))
        }
    }

    /// Kills the daemon as a crash would.
    func kill() throws {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// What it keeps in memory of its own (`RssAnon` of proc_pid_status(5)), in MiB.
    func anonymousMiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1_024
    }

    /// Stops the daemon; gives the mean number of events in a batch, as its log tells, without those of `prepare`,
    /// which came one at a time.
    func stop() throws -> Double {
        process.terminate()
        process.waitUntilExit()
        let text = try String(contentsOf: log, encoding: .utf8)
        let stopped = text.split(separator: "\n").last { $0.contains("stopped") } ?? ""
        func number(_ key: String) -> Double? {
            stopped.firstRange(of: key + "=").flatMap { Double(stopped[$0.upperBound...].prefix { $0.isNumber }) }
        }
        guard let batches = number("batches"), let events = number("events") else {
            throw BenchmarkError("wfd did not stop cleanly: \(stopped)")
        }
        return (events - Double(instances)) / max(batches - Double(instances) - 1, 1)
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
