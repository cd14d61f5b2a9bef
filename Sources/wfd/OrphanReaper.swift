import Foundation
import WorkflowPrograms
import WorkflowThreads

/// Reaps the orphans that the first process of a container inherits from the programs of `--exec`.
enum OrphanReaper {
    /// The time between two checks.
    private static let pause: TimeInterval = 1

    /// Starts the thread that checks for orphans until the process ends.
    static func start() {
        startThread("wfd-orphans", turns: .later) {
            while true {
                ProgramStart.reapOrphans()
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }
}
