import Drawing
import Foundation
import Statechart
import Testing

/// Compares seven pictures byte by byte with those in `Tests/Pictures`.
///
/// With `UPDATE_PICTURES=1` in the environment, the files are written instead. Look at them then.
@Suite struct PictureTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_PICTURES"] == "1"

    @Test(arguments: ["Examples/order", "Examples/editor", "parcels", "memory", "hostile"])
    func machineBecomesItsPicture(name: String) throws {
        let path = name.hasPrefix("Examples/") ? name : "Tests/Pictures/" + name
        let machine = try DrawnMachines.machine(at: path + ".yaml")
        let active = Set(machine.states.filter { $0.index.rawValue % 5 == 1 }.map(\.index))
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        try compare(try Scene(of: machine).svg(active: name == "order" ? active : []), with: name)
    }

    @Test func foldedMachineBecomesItsPicture() throws {
        let machine = try DrawnMachines.machine(at: "Tests/Pictures/folded.yaml")
        let active = Set(
            ["plant", "plant.press", "plant.press.cycle", "plant.press.cycle.s3"].compactMap {
                machine.state(atPath: $0)
            })
        try compare(try Scene(of: machine, .init(unfolded: ["plant.oven.cycle"])).svg(active: active), with: "folded")
    }

    @Test func notedMachineBecomesItsPicture() throws {
        let machine = try DrawnMachines.machine(at: "Examples/order.yaml")
        let notes = machine.states.dropFirst().enumerated().map { place, state in
            let text = ["7", "9999", "120k !", "1.2M"][place % 4]
            return (state.index, SceneNote(text: text, title: "", address: "#", isBad: text.hasSuffix("!")))
        }
        let scene = try Scene(of: machine, .init(hasNotes: true, hasCounts: true))
        let picture = scene.svg(notes: Dictionary(notes) { first, _ in first }) { transitions in
            SceneCount(text: ["7×", "9999×", "120k×"][transitions.count % 3], title: "")
        }
        try compare(picture, with: "noted")
    }

    private func compare(_ picture: String, with name: String) throws {
        let file = DrawnMachines.pictures.appending(path: name + ".svg")
        if Self.isUpdating { try picture.write(to: file, atomically: true, encoding: .utf8) }
        #expect(picture == (try String(contentsOf: file, encoding: .utf8)), "\(name): UPDATE_PICTURES=1 writes it anew")
    }
}
