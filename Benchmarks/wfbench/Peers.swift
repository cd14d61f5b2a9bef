import ArgumentParser
import EngineFloor
import Foundation
import WorkflowJSON

/// Runs alternatives to wfd, if they are installed, with the same machine and events on the same disk. Reports the
/// promise of each.
struct Peers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures other libraries, where they are installed, beside ours, and tells what each promises.")

    @Option(help: ArgumentHelp("The Python that has them.", valueName: "path"))
    var python = "python3"

    @Option(help: ArgumentHelp("Seconds of each.", valueName: "s"))
    var seconds: Double = 5

    @Option(help: ArgumentHelp("Where the scripts are.", valueName: "folder"))
    var scripts = "Benchmarks/peers"

    @Option(help: ArgumentHelp("Where the measured files are made; .build without it.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        guard (0.1...60).contains(seconds) else { throw ValidationError("0.1 to 60 seconds") }
    }

    func run() async throws {
        let folder = try MeasuredFolder(in: folder)
        defer { folder.remove() }
        print(try Surroundings(folder: folder.root).text + "\n")
        guard try Self.run([python, "-c", ""]) != nil else { throw BenchmarkError("'\(python)' does not run") }
        for peer in Peer.all {
            guard FileManager.default.fileExists(atPath: scripts + "/" + peer.script) else {
                throw BenchmarkError("'\(scripts)' has no '\(peer.script)'; --scripts names the folder")
            }
            guard try Self.run([python, "-c", "import \(peer.module)"]) != nil else {
                print("\(peer.package): not installed; \(python) -m pip install \(peer.package)\n")
                continue
            }
            try await folder.withFolder { folder in
                let script = scripts + "/" + peer.script
                let command = [python, script, "--seconds", seconds.text(1), "--folder", folder.path]
                guard let line = try Self.run(command), let result = PeerResult(line) else {
                    print("\(peer.package): '\(script)' failed\n")
                    return
                }
                print(result.text)
            }
        }
        for clients in [1, 64] {
            let result = try await folder.withFolder { try await ours(clients, in: $0) }
            print(result.text)
        }
        print(try await folder.withFolder { try await jobs(16, in: $0) }.text)
    }

    private func ours(_ clients: Int, in folder: URL) async throws -> PeerResult {
        let daemon = try await ServerProcess.daemon(in: folder)
        try daemon.prepare(instances: HTTPFigures.instances)
        let load = try ClosedLoad(
            socket: daemon.socket, clients: clients, book: RequestBook(flips: HTTPFigures.instances))
        let outcome = try load.run(seconds: seconds)
        load.close()
        try daemon.stop()
        return PeerResult(
            name: "wfd over HTTP, \(clients == 1 ? "one client" : "\(clients) clients at once")", version: "",
            perSecond: outcome.perSecond,
            guarantee: "state and history row in one transaction, on disk when the event is answered (WAL, "
                + "synchronous=FULL); a process of its own, history with digests, refusals, keys")
    }

    /// Measures the jobs of `dbos_job.py`, with workers in another process.
    private func jobs(_ clients: Int, in folder: URL) async throws -> PeerResult {
        let daemon = try await ServerProcess.daemon(in: folder)
        let load = try JobLoad(daemon, clients: clients)
        let perSecond = try load.run(seconds: seconds)
        load.close()
        try daemon.stop()
        return PeerResult(
            name: "wfd over HTTP, jobs of two tasks, \(clients) clients", version: "", perSecond: perSecond,
            unit: "jobs/s",
            guarantee: "start, both leases and both results each on disk when answered (WAL, synchronous=FULL), a "
                + "request each; workers are processes of their own, and a task is given to another when one dies")
    }

    /// Returns the last line that a program prints; `nil` if the program fails.
    private static func run(_ command: [String]) throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        // An import that fails says so in a way that is ours to tell.
        if command.contains("-c") { process.standardError = FileHandle.nullDevice }
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }
}

/// A library, and the script that measures it.
private struct Peer {
    /// The name of the package in pip.
    let package: String
    let module: String
    let script: String

    static let all = [
        Peer(package: "transitions", module: "transitions", script: "transitions_sqlite.py"),
        Peer(package: "python-statemachine", module: "statemachine", script: "statemachine_sqlite.py"),
        Peer(package: "sismic", module: "sismic", script: "sismic_sqlite.py"),
        Peer(package: "dbos", module: "dbos", script: "dbos_sqlite.py"),
        Peer(package: "dbos", module: "dbos", script: "dbos_job.py"),
    ]
}

/// The result of one alternative.
private struct PeerResult {
    let name: String
    let version: String
    let perSecond: Double
    /// The unit of the number.
    let unit: String
    let guarantee: String

    init(name: String, version: String, perSecond: Double, unit: String = "events/s", guarantee: String) {
        self.name = name
        self.version = version
        self.perSecond = perSecond
        self.unit = unit
        self.guarantee = guarantee
    }

    /// Reads the line that a script prints.
    init?(_ line: String) {
        guard let fields = try? JSONReader.value(from: Array(line.utf8)).object, let name = fields["peer"]?.string,
            let version = fields["version"]?.string, let guarantee = fields["guarantee"]?.string,
            let perSecond = fields["perSecond"]?.number, let unit = fields["unit"]?.string
        else { return nil }
        self.init(name: name, version: version, perSecond: perSecond, unit: unit, guarantee: guarantee)
    }

    var text: String {
        let title = version.isEmpty ? name : "\(name) (\(version))"
        return title.padding(toLength: 58, withPad: " ", startingAt: 0) + String(Int(perSecond)).padded(9)
            + " \(unit)\n    \(guarantee)\n"
    }
}

extension JSONValue {
    /// The number as a double, from an integer or a double.
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
