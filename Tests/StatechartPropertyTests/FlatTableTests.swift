import Foundation
import NaiveStatechart
import StateMachines
import Statechart
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests on random machines that the table for flat events never differs from the step.
@Suite(.ownThreads) struct FlatTableTests {
    private static let identity = InstanceIdentity(name: "random", version: 1, startedAt: .zero)

    /// The outcomes that were compared.
    private struct Compared {
        var taken = 0
        var refused = 0
        /// The events for which there was no outcome.
        var others = 0
    }

    @Test func theTableRepeatsTheStep() throws {
        let run = PropertyRun.current
        var compared = Compared()
        for number in 0..<max(1, run.machines / 4) {
            let seed = run.seed &+ UInt64(number)
            var generator = MachineGenerator(seed: seed)
            guard let machine = try? StepAdapter.read(generator.sequentialMachine()) else { continue }
            let events = machine.events + ["unknown", "a.b.c.d"]
            let table = try #require(FlatTable(machine, events: events))
            for snapshot in Self.walk(machine, events, &generator) {
                for event in events {
                    let difference = Self.difference(table, machine, event, snapshot, &compared)
                    guard let difference else { continue }
                    Issue.record("seed \(seed), '\(event)' at seq \(snapshot.seq): \(difference)")
                    return
                }
            }
        }
        #expect(compared.taken > 0 && compared.refused > 0 && compared.others > 0, "\(compared)")
        print("FlatTableTests: \(compared)")
    }

    /// Returns the snapshots of a random instance.
    private static func walk(
        _ machine: Machine, _ events: [String], _ generator: inout MachineGenerator
    ) -> [Snapshot] {
        guard case .accepted(let started) = machine.apply(.start(), to: nil, as: identity) else { return [] }
        var snapshots = [started.snapshot]
        for second in 1...15 {
            guard let last = snapshots.last, last.status == .running else { break }
            let time = LogicalTime(milliseconds: Int64(second) * 1_000)
            let event = Event(name: events[generator.random.below(events.count)], at: time)
            let next = generator.random.chance(70) ? last.armed.next : nil
            switch machine.apply(next.map { .coming($0, at: time) } ?? .event(event), to: last, as: identity) {
            case .accepted(let macrostep), .failed(let macrostep, _): snapshots.append(macrostep.snapshot)
            case .refused: break
            }
        }
        return snapshots
    }

    private static func outcome(_ table: FlatTable, _ event: String, _ snapshot: Snapshot) -> Outcome? {
        guard snapshot.status == .running, snapshot.armed.isEmpty, let leaf = snapshot.configuration.last else {
            return nil
        }
        return table.outcome(of: event, in: leaf)
    }

    /// Returns the difference between table and step for one event; `nil` if there is none.
    private static func difference(
        _ table: FlatTable, _ machine: Machine, _ event: String, _ snapshot: Snapshot, _ compared: inout Compared
    ) -> String? {
        guard let outcome = outcome(table, event, snapshot) else {
            compared.others += 1
            return nil
        }
        let time = LogicalTime(milliseconds: 60_000)
        let stepped = machine.apply(
            .event(Event(name: event, data: ["n": 1], at: time)), to: snapshot, as: identity)
        let isAccepted = machine.accepts(event, in: snapshot, as: identity, at: time)
        switch (outcome, stepped) {
        case (.refused(let one), .refused(let other)) where one == other && isAccepted == false:
            compared.refused += 1
        case (.accepted(let one), .accepted(let other)) where isAccepted == true:
            var after = snapshot
            after.seq += 1
            after.configuration = one.snapshot.configuration
            let expected = Macrostep(snapshot: after, exited: one.exited, entered: one.entered, cost: one.cost)
            guard expected == other else { return "the table has \(expected), the step \(other)" }
            compared.taken += 1
        default: return "the table has \(outcome), the step \(stepped), acceptance \(String(describing: isAccepted))"
        }
        return nil
    }

    /// Compares all that a program sees of a machine with what the step does: moves, refusals and the stored form.
    @Test func aProgramSeesTheStep() throws {
        var compared = Compared()
        try Self.visit(NoDigit.self, digits: 6, &compared)
        #expect(compared.taken > 100 && compared.refused > 100 && compared.others > 100, "\(compared)")
    }

    private static func visit<Seed: SeedType>(_ seed: Seed.Type, digits: Int, _ compared: inout Compared) throws {
        guard digits == 0 else {
            try visit(Zero<Seed>.self, digits: digits - 1, &compared)
            return try visit(One<Seed>.self, digits: digits - 1, &compared)
        }
        var random = SplitMix64(seed: Seed.seed)
        for _ in 0..<3 { try compare(RandomMachine<Seed>.self, &random, &compared) }
    }

    private static func compare<Seed: SeedType>(
        _ type: RandomMachine<Seed>.Type, _ random: inout SplitMix64, _ compared: inout Compared
    ) throws {
        let machine = RandomMachine<Seed>.parts.machine
        let identity = InstanceIdentity(name: machine.name, version: 1, startedAt: .zero)
        let table = try #require(FlatTable(machine, events: RandomMachine<Seed>.Event.allCases.map(\.rawValue)))
        guard case .accepted(let started) = machine.apply(.start(), to: nil, as: identity) else { return }
        var (snapshot, time) = (started.snapshot, LogicalTime.zero)
        var value = try MachineValue(type)
        for second in 1...30 where value.status == .running {
            let now = LogicalTime(milliseconds: Int64(second) * 100)
            let event = RandomMachine<Seed>.Event.allCases[random.below(RandomMachine<Seed>.Event.allCases.count)]
            let next = snapshot.armed.next.flatMap { $0.kind == .sent || $0.due <= now ? $0 : nil }
            let input =
                next.map { Input.coming($0, at: $0.time(notBefore: time)) }
                ?? .event(Event(name: event.rawValue, at: now))
            let isRepeated = next == nil && Self.outcome(table, event.rawValue, snapshot) != nil
            let outcome = machine.apply(input, to: snapshot, as: identity)
            if next == nil, machine.isStrict, case .accepted = outcome { #expect(value.accepts(event)) }
            do {
                let own = next == nil ? nil : value.takeNext(until: .milliseconds(now.milliseconds))
                let move = try own ?? value.take(event, at: .milliseconds(now.milliseconds))
                switch outcome {
                case .accepted(let macrostep), .failed(let macrostep, _):
                    try check(move, input.event, from: snapshot, macrostep, machine)
                    time = input.event.at
                    try check(value, macrostep.snapshot, before: snapshot, at: time, machine)
                    snapshot = macrostep.snapshot
                case .refused: Issue.record("the step refuses '\(event)', and the machine takes it")
                }
                if isRepeated { compared.taken += 1 } else { compared.others += 1 }
            } catch let refusal as StateMachines.Refusal<RandomMachine<Seed>> {
                guard case .refused(let expected) = outcome else {
                    Issue.record("the step takes '\(event)', and the machine refuses it: \(refusal)")
                    continue
                }
                let place = InstancePlace(
                    name: machine.name, paths: machine.leafPaths(of: snapshot.configuration), seq: snapshot.seq)
                let message = expected.message(for: event.rawValue, in: machine, at: place)
                #expect(refusal.description.hasPrefix(message))
                #expect(refusal.reason == reason(expected))
                if isRepeated { compared.refused += 1 } else { compared.others += 1 }
            }
        }
    }

    private static func check<Seed: SeedType>(
        _ move: StateMachines.Transition<RandomMachine<Seed>>, _ event: Event, from before: Snapshot,
        _ macrostep: Macrostep, _ machine: Machine
    ) throws {
        let after = macrostep.snapshot
        #expect(move.event == event.name && move.data == event.data)
        #expect(move.fromSeq == before.seq && move.seq == after.seq)
        #expect(move.from.map(\.rawValue) == machine.leafPaths(of: before.configuration))
        #expect(move.to.map(\.rawValue) == machine.leafPaths(of: after.configuration))
        #expect(move.exited.map(\.rawValue) == machine.paths(of: macrostep.exited))
        #expect(move.entered.map(\.rawValue) == machine.paths(of: macrostep.entered))
        #expect([move.state.rawValue] == machine.leafPaths(of: after.configuration))
        #expect(move.context == .object(after.context))
    }

    /// Compares the stored form with the text of the step's snapshot.
    private static func check<Seed: SeedType>(
        _ value: MachineValue<RandomMachine<Seed>>, _ snapshot: Snapshot, before: Snapshot, at time: LogicalTime,
        _ machine: Machine
    ) throws {
        let text = machine.text(of: snapshot)
        let stored = try JSONDecoder().decode(JSONObject.self, from: JSONEncoder().encode(value))
        #expect(stored["configuration"] == .string(text.configuration))
        #expect(stored["context"] == .string(text.context))
        #expect(stored["memory"] == .string(text.memory))
        #expect(stored["armed"] == .string(text.armed))
        #expect(stored["output"] == text.output.map(JSONValue.string))
        #expect(stored["seq"] == .int(snapshot.seq))
        #expect(stored["status"] == .string(snapshot.status.rawValue))
        #expect(stored["time"] == .int(time.milliseconds))
        let previous = machine.leafPaths(of: before.configuration).map(JSONValue.string)
        #expect(stored["previous"] == .array(previous))
    }

    private static func reason<Seed: SeedType>(
        _ refusal: Statechart.Refusal
    ) -> StateMachines.Refusal<RandomMachine<Seed>>.Reason {
        switch refusal {
        case .unknownEvent: .unknownEvent
        case .notAccepted: .notAccepted
        case .guardRejected: .guardRejected
        case .finished: .finished
        case .failed: .failed
        case .suspended: .suspended
        case .expressionFailed: .expressionFailed
        case .livelock: .livelock
        case .invalidData: .invalidData
        }
    }
}
