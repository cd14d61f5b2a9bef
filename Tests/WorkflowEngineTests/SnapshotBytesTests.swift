import DaemonTesting
import Foundation
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that three states are the same to the byte: the writer's cache, the state that it reads again, and the fold of
/// another process. The machines are random, with times, doubles and maps in their contexts.
///
/// `SNAPSHOT_SEED` repeats a run, `SNAPSHOT_MACHINES` sets the number of machines (2).
@Suite struct SnapshotBytesTests {
    @Test(.timeLimit(.minutes(20))) func aSnapshotIsTheSameHoweverItCameAbout() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SNAPSHOT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("snapshots: SNAPSHOT_SEED=\(seed)")
        for number in 0..<(environment["SNAPSHOT_MACHINES"].flatMap { Int($0) } ?? 2) {
            var random = SeededRandom(seed: seed, number)
            let machine = RandomMachine(random: &random)
            let events = (0..<60).map { _ in machine.event(random: &random) }
            let cached = try await Self.run(machine, events, startsAnewEvery: nil)
            let reloaded = try await Self.run(machine, events, startsAnewEvery: 1)
            #expect(
                cached.states.count == 61 && cached.states == reloaded.states, "SNAPSHOT_SEED=\(seed)\n\(machine.text)")
            for run in [cached, reloaded] {
                let folded = try await RunningProgram(
                    Programs.path("wfd"), ["verify", run.database], environment: Programs.environment()
                ).result()
                #expect(folded.end == .exited(0), "SNAPSHOT_SEED=\(seed) \(folded)\n\(machine.text)")
            }
        }
    }

    private struct Run {
        let folder: StoreFolder
        /// The stored states after the start and after each event.
        let states: [SnapshotText]
        var database: String { folder.path + "/wfd.db" }
    }

    /// Sends the events, each at its own time. Stops the engine after every few of them, so that everything is read
    /// again.
    private static func run(
        _ machine: RandomMachine, _ events: [Event], startsAnewEvery rhythm: Int?
    ) async throws -> Run {
        let folder = try StoreFolder()
        let clock = HandClock()
        var states: [SnapshotText] = []
        var store = try folder.open()
        var running = try await RunningEngine(store: store, clock: clock)
        _ = try await running.engine.apply(machine.text, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "random", instance: "i"))
        states.append(try #require(try await store.instance(named: "i")).state)
        for (offset, event) in events.enumerated() {
            if let rhythm, offset % rhythm == 0 {
                try await running.stop()
                store = try folder.open()
                running = try await RunningEngine(store: store, clock: clock)
            }
            clock.advance(7_001)
            // Some events are refused: then nothing changes, which is compared too.
            do throws(Rejection) {
                _ = try await running.engine.send(SendCommand(instance: "i", event: event))
            } catch {
                guard error.refused != nil else { throw error }
            }
            states.append(try #require(try await store.instance(named: "i")).state)
        }
        try await running.stop()
        return Run(folder: folder, states: states)
    }
}

/// A machine of a few states in a circle, whose actions put values of all kinds into the context.
private struct RandomMachine {
    let text: String
    private let events = ["a", "b", "c"]

    /// The expressions for values of every kind that a context can keep, and of some that it keeps in another form.
    private static let values = [
        "event.at", "string(event.at)", "event.at - duration('1h')", "duration('90s')", "1.0 / 3.0", "2.0 * 5.0",
        "context.number + 1.5", "context.number * -0.1", "context.count + 1", "1e300", "-0.0",
        "{'b': context.number, 'a': [event.at, 1, 1.0], 'é': null}", "event.data", "event.data.?x.orValue(0.25)",
        "context.map.size()", "[context.number, context.count, context.text]", "b'bytes'", "'ü' + context.text",
        "{'zz': 1, 'a': {'deep': [1.0, 2, 3.5]}}", "instance.startedAt", "math.round(context.number)",
    ]

    init(random: inout some RandomNumberGenerator) {
        var lines = [
            "id: random", "initial: s0", "strict: false",
            "context: {number: 0.5, count: 0, text: '', map: {}, any: null, other: [1.0]}", "states:",
        ]
        let count = Int.random(in: 2...5, using: &random)
        for state in 0..<count {
            lines.append("  s\(state):")
            if Bool.random(using: &random) {
                lines += [
                    "    entry:", "      - assign: {any: \"\(Self.values.randomElement(using: &random) ?? "1")\"}",
                ]
            }
            if Bool.random(using: &random) {
                let delay = Int.random(in: 1...40, using: &random)
                lines.append("    after: {\(delay)s: s\(Int.random(in: 0..<count, using: &random))}")
            }
            lines.append("    on:")
            for event in events {
                let key = ["any", "other", "text", "map", "number", "count"].randomElement(using: &random) ?? "any"
                let value = Self.value(for: key, random: &random)
                lines += [
                    "      \(event):", "        target: s\(Int.random(in: 0..<count, using: &random))",
                    "        actions:", "          - assign: {\(key): \"\(value)\"}",
                ]
                if Bool.random(using: &random) {
                    lines.append(
                        "          - send: {event: \(events.randomElement(using: &random) ?? "a"), delay: 20s}")
                }
            }
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Returns a value for a key. Values that later expressions use keep their type.
    private static func value(for key: String, random: inout some RandomNumberGenerator) -> String {
        switch key {
        case "number": ["1.0 / 7.0", "context.number * 1.1", "-0.0", "5.0"].randomElement(using: &random) ?? "1.0"
        case "count": "context.count + 1"
        case "text": "string(event.at) + 'ß'"
        case "map": "{'at': event.at, 'x': context.number, 'list': [1.0, 2]}"
        default: values.randomElement(using: &random) ?? "1"
        }
    }

    func event(random: inout some RandomNumberGenerator) -> Event {
        let data: [JSONValue?] = [
            nil, ["x": 0.1], ["x": 3.0, "b": [1, 2.5], "a": ["é": .null]], ["y": "2026-11-21T00:00:00.500Z"], 1.0,
        ]
        return Event(
            name: events.randomElement(using: &random) ?? "a", data: data.randomElement(using: &random) ?? nil)
    }
}
