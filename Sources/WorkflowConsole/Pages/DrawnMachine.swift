import Drawing
import Statechart
import Synchronization

/// A machine that was read, and its drawings that were laid out last.
final class DrawnMachine: Sendable {
    let machine: Machine

    /// The most drawings of a machine that are kept. Who opens folded states chooses among many.
    private static let keptScenes = 4

    private let scenes = Mutex<[Scene.Options: Scene]>([:])

    init(_ machine: Machine) {
        self.machine = machine
    }

    /// Returns a drawing; `nil` if the machine is too large for one.
    func scene(_ options: Scene.Options = Scene.Options()) -> Scene? {
        if let scene = scenes.withLock({ $0[options] }) { return scene }
        // Outside of the lock: two pages may do the same work, and neither waits.
        guard let scene = try? Scene(of: machine, options) else { return nil }
        scenes.withLock { scenes in
            if scenes.count >= Self.keptScenes { scenes = [:] }
            scenes[options] = scene
        }
        return scene
    }
}
