import ArgumentParser
import EngineFloor
import Foundation
import WorstMacrosteps

/// Measures the latency of other clients beside the macrosteps that take longest.
struct WorstBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worst", abstract: "Measures how long another client waits behind each of the worst macrosteps.")

    @Option(help: ArgumentHelp("Events a second of the other clients.", valueName: "n"))
    var rate: Int = 500

    @Option(help: ArgumentHelp("How long each is measured.", valueName: "n"))
    var seconds: Double = 5

    @Option(help: ArgumentHelp("Makes the databases below this folder.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        guard (1...10_000).contains(rate), (0.1...3_600).contains(seconds) else {
            throw ValidationError("up to 10000 a second, for up to an hour")
        }
    }

    func run() async throws {
        let measured = try MeasuredFolder(in: folder)
        defer { measured.remove() }
        try await measured.withFolder { folder in
            for (number, step) in WorstMacrostep.all.enumerated() {
                let daemon = try await ServerProcess.daemon(in: folder, name: "worst-\(number)")
                print("\(step.name): \(try text(of: waits(behind: step, of: daemon)))")
                try daemon.stop()
            }
        }
    }

    /// The latencies of other clients, and of the step.
    private typealias Waits = (beside: Latencies, without: Latencies, step: Latencies)

    private func waits(behind step: WorstMacrostep, of daemon: ServerProcess) throws -> Waits {
        let instances = 8
        try daemon.prepare(instances: instances)
        let worst = try RefusedLoad(socket: daemon.socket, clients: 1, book: prepare(step, in: daemon))
        let others = try OpenLoad(socket: daemon.socket, connections: 64, book: RequestBook(flips: instances))
        defer {
            worst.close()
            others.close()
        }
        let without = try others.run(perSecond: Double(rate), seconds: seconds)
        let alone = try worst.run(seconds: seconds).latencies
        let work = BackgroundWork([{ try worst.run() }])
        let beside = try others.run(perSecond: Double(rate), seconds: seconds)
        _ = try work.stop()
        return (beside, without, alone)
    }

    /// Brings an instance to the state before the step. Returns the request for the step.
    private func prepare(_ step: WorstMacrostep, in daemon: ServerProcess) throws -> RequestBook {
        try daemon.ask(
            HTTPRequestText.post("/v1/machines", step.definition, type: "application/yaml"), status: 201)
        let start = #"{"machine":"m","instance":"worst"}"#
        let events = "/v1/instances/worst/events"
        var book = RequestBook()
        guard let earlier = step.events else {
            book.add(post: "/v1/instances", start)
            return book
        }
        try daemon.ask(HTTPRequestText.post("/v1/instances", start), status: 201)
        for event in earlier { try daemon.ask(HTTPRequestText.post(events, #"{"event":"\#(event)"}"#)) }
        book.add(post: events, #"{"event":"go"}"#)
        return book
    }

    private func text(of waits: Waits) -> String {
        let texts = [waits.beside, waits.step, waits.without].map { latencies in
            [50, 99, 100].map { latencies.milliseconds($0).text(1) }.joined(separator: " ")
        }
        let ratio = waits.beside.milliseconds(99) / waits.step.milliseconds(99)
        return "wait of others p50 p99 max \(texts[0]) ms   (goal: 50 ms at most), the step alone \(texts[1]) ms, "
            + "p99 \(ratio.text(2)) times that; others without it \(texts[2]) ms"
    }
}
