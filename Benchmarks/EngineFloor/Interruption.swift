import Dispatch
package import Foundation
import Synchronization

/// What must not be left behind when the program is told to end: the processes that it started and its files.
package enum Interruption {
    private static let processes = Mutex<Set<pid_t>>([])
    private static let folders = Mutex<Set<URL>>([])

    /// The sources of the signals live as long as the program.
    nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []

    /// Cleans up at SIGINT, SIGTERM and SIGHUP, and ends. To be called once, before anything is started.
    package static func prepare() {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                processes.withLock { $0.forEach { _ = kill($0, SIGKILL) } }
                // What is left behind is only untidy.
                folders.withLock { $0.forEach { try? FileManager.default.removeItem(at: $0) } }
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// A process of ours has begun: it is killed when this program is told to end.
    package static func began(_ process: pid_t) { processes.withLock { _ = $0.insert(process) } }

    /// A process of ours has ended.
    package static func ended(_ process: pid_t) { processes.withLock { _ = $0.remove(process) } }

    /// A folder was made: it is removed when this program is told to end.
    package static func made(_ folder: URL) { folders.withLock { _ = $0.insert(folder) } }
}
