import ArgumentParser
import EngineFloor
import Foundation
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// A piece of work whose instructions are counted.
enum CountedWork: String, CaseIterable, ExpressibleByArgument {
    /// The steps of a flat machine, and as many of one with guard and assignment.
    case step
    /// The lines of a body of events, made into commands.
    case decode
    /// The batches of 500 events through the engine into a file.
    case batch

    /// The number of repetitions for the smaller of two counts.
    var count: Int {
        switch self {
        case .step: 5_000
        case .decode: 5_000
        case .batch: 10
        }
    }

    /// The number of parts in one repetition.
    var parts: Int {
        switch self {
        case .step: 2
        case .decode: 1
        case .batch: Workload.usualBatch
        }
    }

    /// The title of the work.
    var title: String {
        switch self {
        case .step: "a step"
        case .decode: "a line of a body"
        case .batch: "an event in a batch"
        }
    }

    private static let workload = Workload.nested(1_000)

    /// Makes the needed files, so that their making does not count.
    func prepare(in folder: URL) async throws {
        if self == .batch { try await EngineFiles.fill(Self.workload, in: folder) }
    }

    /// Does the work a number of times.
    func run(_ count: Int, in folder: URL) async throws {
        switch self {
        case .step:
            for loops in [try StepLoops.flat(), try StepLoops.guarded()] {
                guard try loops.ours(count) == count else { throw BenchmarkError("steps are missing") }
            }
        case .decode: try Self.decode(count)
        case .batch: try await Self.batches(count, in: folder)
        }
    }

    private static func decode(_ count: Int) throws {
        let lines = [
            #"{"instance":"order-4711","event":"pay"}"#,
            #"{"instance":"order-4711","event":"pay","data":{"amount":250,"currency":"EUR","ok":true}}"#,
            #"{"instance":"i-1","event":"add","key":"01890a5d-ac96-774b-bcce-b302099a8057","expect":{"seq":7}}"#,
        ].map { Array($0.utf8) }
        var bytes = 0
        for number in 0..<count {
            let line = try BatchLine(body: lines[number % lines.count])
            guard case .event(let event) = line.content else { throw BenchmarkError("an event is missing") }
            let command = SendCommand(
                instance: InstanceName(rawValue: line.instance), event: Event(name: event.event, data: event.data),
                expectedSeq: event.expect?.seq.map(Seq.init), key: line.key.flatMap(RequestKey.init(text:)),
                by: .bench)
            bytes += command.instance.rawValue.utf8.count + command.event.name.utf8.count
        }
        guard bytes > count else { throw BenchmarkError("lines are missing") }
    }

    /// Sends one request at a time, without a limit on the time of a batch: each is one transaction, however slow the
    /// machine.
    private static func batches(_ count: Int, in folder: URL) async throws {
        var files = try await EngineFiles(workload, in: folder)
        var limits = EngineLimits()
        limits.batchApplying = .seconds(600)
        let running = try RunningEngine(path: files.ours, limits: limits)
        try await running.send(files.firstCommands(), atOnce: 1)
        try await running.send(files.commands(count * Workload.usualBatch), atOnce: 1)
        try await running.stop()
    }
}

/// Does a counted work; `count` runs it under callgrind.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Does a work so often, for programs that count instructions.", shouldDisplay: false)

    @Argument(help: "Which.")
    var work: CountedWork

    @Argument(help: "How often.")
    var count: Int

    @Argument(help: "A folder with what it needs.")
    var folder: String

    func run() async throws {
        try await work.run(count, in: URL(filePath: folder))
    }
}
