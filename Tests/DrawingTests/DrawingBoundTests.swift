import Drawing
import Foundation
import Statechart
import Testing

/// Tests that drawings stay small and quick.
@Suite struct DrawingBoundTests {
    @Test func largeMachineIsFolded() throws {
        let machine = try DrawnMachines.machine(at: "Tests/Pictures/folded.yaml")
        #expect(machine.states.count > 61)
        let folded = try Scene(of: machine)
        #expect(folded.boxes.allSatisfy { $0.path.split(separator: ".").count <= 2 })
        #expect(folded.boxes.reduce(0) { $0 + $1.hidden } + folded.boxes.count == machine.states.count)
        let open = try Scene(of: machine, .init(unfolded: ["plant.oven.cycle"]))
        let added = open.boxes.map(\.path).filter { path in !folded.boxes.contains { $0.path == path } }
        #expect(added.count == 11)
        #expect(added.allSatisfy { $0.hasPrefix("plant.oven.") })
        let active = try #require(machine.state(atPath: "plant.press.cycle.s3"))
        #expect(folded.svg(active: [active]).contains(">11 states, 1 active<"))
    }

    /// Ten groups of nine states have one level less than is folded otherwise, and stand beside each other.
    @Test func wideMachineIsFoldedFromTheFirstLevel() throws {
        let machine = try DrawnMachines.large(100)
        #expect(try Scene(of: machine, .init(unfolded: Set(machine.states.map(\.path)))).width > 2_400)
        let folded = try Scene(of: machine)
        #expect(folded.width < 2_400 && folded.boxes.filter { $0.kind == .folded }.count == 10)
        #expect(folded.boxes.reduce(0) { $0 + $1.hidden } + folded.boxes.count == machine.states.count)
        let open = try Scene(of: machine, .init(unfolded: ["g3"]))
        #expect(open.boxes.filter { $0.kind == .folded }.count == 9)
        #expect(open.boxes.contains { $0.path == "g3.s4" } && SceneCheck.faults(of: open) == [])
    }

    @Test func smallMachineIsNotFolded() throws {
        let scene = try Scene(of: try DrawnMachines.machine(at: "Tests/Pictures/parcels.yaml"))
        #expect(scene.boxes.allSatisfy { $0.hidden == 0 })
        #expect(scene.boxes.count == scene.machine.states.count)
    }

    @Test func tooManyStatesAreRefused() throws {
        func machine(_ count: Int) throws -> Machine {
            let states = (0..<count).map { "s\($0): {}" }.joined(separator: ", ")
            return try DefinitionReader.read("{id: m, initial: s0, states: {\(states)}}").machine
        }
        #expect(try Scene(of: machine(1_000)).boxes.count == 1_001)
        #expect(throws: DrawingFailure.tooManyStates(1_001)) { try Scene(of: machine(1_001)) }
        #expect(DrawingFailure.tooManyStates(1_001).reason == "it has 1001 states, and a drawing has at most 1000")
    }

    /// Boxes name the one state that all states lead to; no arrow does.
    @Test(arguments: [220, 500, 998]) func manyStatesThatLeadToOneAreDrawn(count: Int) throws {
        let states = (0..<count).map { "s\($0): {on: {next: s\(min(count - 1, $0 + 1)), fail: broken}}" }
        let text = "{id: m, initial: s0, states: {\((states + ["broken: {}"]).joined(separator: ", "))}}"
        let machine = try DefinitionReader.read(text).machine
        let clock = ContinuousClock()
        var scene: Scene?
        let time = try clock.measure { scene = try Scene(of: machine) }
        let drawn = try #require(scene)
        print("drawing of \(count) states that lead to one: \(drawn.width) x \(drawn.height), \(time)")
        #expect(drawn.boxes.count == count + 2)
        #expect(drawn.boxes.dropFirst().dropLast().allSatisfy { $0.references.map(\.text) == ["fail → broken"] })
        #expect(drawn.arrows.count == count + 1)
        #expect(drawn.svg().contains(">fail → broken</text>"))
    }

    /// Long arrows from every state back to the first, nesting, and a state with thousands of arrows.
    @Test func hostileMachinesEnd() throws {
        let chain = (0..<999).map { "s\($0): {on: {next: s\(min(998, $0 + 1)), back: s0, skip: s\(($0 * 7) % 999)}}" }
        let nested = (0..<45).reversed().reduce("x: {on: {up: '#m'}}") { inner, level in
            "n\(level): {initial: \(level == 44 ? "x" : "n\(level + 1)"), on: {e: '#m'}, states: {\(inner)}}"
        }
        let star = (0..<600).map { state in
            let events = (0..<6).map { "e\($0): s\((state * 31 + $0 * 101) % 600)" }
            return "s\(state): {on: {\(events.joined(separator: ", "))}}"
        }
        for (text, initial) in [
            (chain.joined(separator: ", "), "s0"), (nested, "n0"), (star.joined(separator: ", "), "s0"),
        ] {
            let machine = try DefinitionReader.read("{id: m, initial: \(initial), states: {\(text)}}").machine
            let clock = ContinuousClock()
            var result = ""
            let time = clock.measure {
                do throws(DrawingFailure) {
                    let scene = try Scene(of: machine)
                    result = "\(scene.width) x \(scene.height)"
                } catch {
                    result = error.reason
                }
            }
            print("hostile drawing of \(machine.states.count - 1) states: \(result), \(time)")
        }
    }

    /// Prints how long a machine of 100 states takes. The goal in a release build is 20 ms.
    @Test func hundredStatesAreQuick() throws {
        let machine = try DrawnMachines.large(100)
        let all = Set(machine.states.map(\.path))
        let clock = ContinuousClock()
        let times = try (0..<5).map { _ in try clock.measure { _ = try Scene(of: machine, .init(unfolded: all)).svg() }
        }
        print("drawing of \(machine.states.count - 1) states: \(times.min() ?? .zero)")
        #expect(try Scene(of: machine, .init(unfolded: all)).boxes.count == machine.states.count)
    }
}
