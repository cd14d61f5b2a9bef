import Foundation
import Seeds
import StateMachines
import Testing

/// Tests that the example machines in Swift and in YAML make the same moves.
struct SameMachineTests {
    private func compare<M: MachineDefinition, Other: MachineDefinition>(
        _ machine: M.Type, _ other: Other.Type, _ seconds: Duration = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws where M.Event == Other.Event, M.State == Other.State, M.Context == Other.Context, M.Event: CaseIterable {
        try compare(machine, other, Array(M.Event.allCases), seconds, sourceLocation: sourceLocation)
    }

    /// Compares two machines over random events, including refused ones.
    private func compare<M: MachineDefinition, Other: MachineDefinition>(
        _ machine: M.Type, _ other: Other.Type, _ events: [M.Event], _ seconds: Duration = .zero,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws where M.Event == Other.Event, M.State == Other.State, M.Context == Other.Context {
        var generator = Dice(seed: 1)
        for _ in 0..<20 {
            let one = try StateMachine(M.self)
            let two = try StateMachine(Other.self)
            var moves: ([String], [String]) = ([], [])
            one.onTransition {
                moves.0.append("\($0) \($0.exited.map(\.rawValue)) \($0.entered.map(\.rawValue)) \($0.context)")
            }
            two.onTransition {
                moves.1.append("\($0) \($0.exited.map(\.rawValue)) \($0.entered.map(\.rawValue)) \($0.context)")
            }
            for _ in 0..<50 {
                guard let event = events.randomElement(using: &generator) else { return }
                let isTaken = one.attempt(event)
                #expect(isTaken == two.attempt(event), sourceLocation: sourceLocation)
                one.advance(by: seconds)
                two.advance(by: seconds)
            }
            #expect(moves.0 == moves.1, sourceLocation: sourceLocation)
            #expect(moves.0.count > 2, sourceLocation: sourceLocation)
        }
    }

    @Test func screens() throws { try compare(Screens.self, ScreensInYAML.self) }
    @Test func rocket() throws { try compare(Rocket.self, RocketInYAML.self, .milliseconds(700)) }
    @Test func editor() throws { try compare(Editor.self, EditorInYAML.self) }
    @Test func profile() throws { try compare(Profile.self, ProfileInYAML.self) }
    @Test func request() throws {
        try compare(
            Request.self, RequestInYAML.self, [.fetch, .save, .succeed("Ada"), .fail("offline"), .reset, .fetch])
    }

    /// The random walk includes a task that succeeds, one that fails, and one that takes too long.
    @Test(.timeLimit(.minutes(20))) func parcel() async throws {
        let one = try await parcels(Parcel.self)
        #expect(one == (try await parcels(ParcelInYAML.self)))
        #expect(
            one == [
                "packing -> packed   (seq 1 -> 2) weight 3", "packing -> refused   (seq 1 -> 2) no lamps",
                "packing -> refused   (seq 1 -> 2) there was no result within 86400000 ms",
            ])
    }

    private func parcels<M: MachineDefinition>(_ machine: M.Type) async throws -> [String]
    where M.Context == Parcel.Context {
        let host = MemoryHost()
        var told: [String] = []
        let working = Task {
            try await host.work(Stock.self) { task in
                if task.input.items.contains("lamp") { throw TaskFailure(message: "no lamps", retry: false) }
                return Stock.Output(weight: task.input.items.count)
            }
        }
        for items in [["pen", "ink", "nib"], ["lamp"]] {
            let parcel = try await host.start(M.self, items[0], context: Parcel.Context(items: items))
            for try await move in parcel.transitions(after: 1) { told.append(Self.text(move)) }
        }
        working.cancel()
        try await working.value
        let parcel = try await host.start(M.self, "late")
        await host.advance(by: .seconds(86_400))
        for try await move in parcel.transitions(after: 1) { told.append(Self.text(move)) }
        return told
    }

    private static func text<M: MachineDefinition>(_ move: Transition<M>) -> String
    where M.Context == Parcel.Context {
        let context = move.context
        return "\(move) \(context.why ?? context.receipt.map { "weight \($0.weight)" } ?? "")"
    }
}

/// A generator that always gives the same numbers.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}

/// Returns the text of a file in `Examples`.
private func example(_ name: String) -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples")
    // An empty definition is a mistake that each test tells.
    return (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
}

private enum ScreensInYAML: MachineDefinition {
    typealias State = Screens.State
    typealias Event = Screens.Event
    static let definition = Definition<Self>(text: example("screens.yaml"))
}
private enum RequestInYAML: MachineDefinition {
    typealias State = Request.State
    typealias Event = Request.Event
    typealias Context = Request.Context
    static let definition = Definition<Self>(text: example("request.yaml"))
}
private enum RocketInYAML: MachineDefinition {
    typealias State = Rocket.State
    typealias Event = Rocket.Event
    typealias Context = Rocket.Context
    static let definition = Definition<Self>(text: example("rocket.yaml"))
}
private enum EditorInYAML: MachineDefinition {
    typealias State = Editor.State
    typealias Event = Editor.Event
    static let definition = Definition<Self>(text: example("editor.yaml"))
}
private enum ParcelInYAML: MachineDefinition {
    typealias State = Parcel.State
    typealias Event = NoEvent
    typealias Context = Parcel.Context
    static let definition = Definition<Self>(text: example("shop/parcel.yaml"))
}
private enum ProfileInYAML: MachineDefinition {
    typealias State = Profile.State
    typealias Event = Profile.Event
    typealias Context = Profile.Context
    static let definition = Definition<Self>(text: example("profile.yaml"))
}
