import Drawing
import Foundation
import Statechart
import Testing
import ThreadTesting

/// Tests that drawings are legible, by their numbers.
@Suite struct DrawingTests {
    /// The seed of the random machines: `DRAWING_SEED` in the environment, else another one each time.
    private static let seed =
        ProcessInfo.processInfo.environment["DRAWING_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

    @Test func examplesAreLegible() throws {
        let machines = try DrawnMachines.examples()
        #expect(machines.count >= 9)
        for (name, machine) in machines {
            #expect(SceneCheck.faults(of: try Scene(of: machine)) == [], "\(name)")
            let noted = try Scene(of: machine, .init(hasNotes: true))
            #expect(SceneCheck.faults(of: noted) == [], "\(name) with notes")
            let counted = try Scene(of: machine, .init(hasNotes: true, hasCounts: true))
            #expect(SceneCheck.faults(of: counted) == [], "\(name) with numbers")
            #expect(counted.arrows.allSatisfy { $0.transitions.isEmpty || $0.labelFrame != nil })
            let isHistory = noted.boxes.map { $0.kind == .history || $0.kind == .deepHistory }
            #expect(zip(noted.boxes.dropFirst(), isHistory.dropFirst()).allSatisfy { ($0.noteFrame == nil) == $1 })
        }
    }

    @Test func vectorsAreLegible() throws {
        let machines = try DrawnMachines.vectors()
        if machines.isEmpty {
            print("vectorsAreLegible: skipped, there are no vectors; CONFORMANCE names their folder")
        }
        for (name, machine) in machines {
            #expect(SceneCheck.faults(of: try Scene(of: machine)) == [], "\(name)")
        }
    }

    /// `CASE_STRIDE=1` draws all thousand.
    @Test func randomMachinesAreLegible() throws {
        print("random drawings: DRAWING_SEED=\(Self.seed)")
        for number in sample(Array(0..<1_000), every: 10) {
            let machine = DrawnMachines.random(seed: Self.seed, number)
            let scene = try Scene(of: machine)
            #expect(SceneCheck.faults(of: scene) == [], "DRAWING_SEED=\(Self.seed), machine \(number)")
            #expect(scene.svg() == (try Scene(of: machine).svg()))
            let noted = try Scene(of: machine, .init(hasNotes: true))
            #expect(SceneCheck.faults(of: noted) == [], "DRAWING_SEED=\(Self.seed), machine \(number) with notes")
            let counted = try Scene(of: machine, .init(hasCounts: true))
            #expect(SceneCheck.faults(of: counted) == [], "DRAWING_SEED=\(Self.seed), machine \(number) with numbers")
        }
    }

    @Test func largeRandomMachinesAreLegible() throws {
        for number in 0..<10 {
            let machine = DrawnMachines.random(seed: Self.seed, 10_000 + number, most: 200)
            let all = Set(machine.states.map(\.path))
            for unfolded in [[], all] {
                let scene = try Scene(of: machine, .init(unfolded: unfolded))
                #expect(SceneCheck.faults(of: scene) == [], "DRAWING_SEED=\(Self.seed), large machine \(number)")
            }
        }
    }
}
