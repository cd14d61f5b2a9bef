import Dispatch
package import Foundation
import Synchronization

/// The processes and files that must be removed when the program is told to end.
package enum Interruption {
    private static let processes = Mutex<Set<pid_t>>([])
    private static let folders = Mutex<Set<URL>>([])

    /// The sources of the signals, which live as long as the program.
    nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []

    /// Cleans up and ends at SIGINT, SIGTERM and SIGHUP. Must be called once, before anything is started.
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

    /// Registers a process of ours: it is killed when this program is told to end.
    package static func began(_ process: pid_t) { processes.withLock { _ = $0.insert(process) } }

    /// Removes a process of ours that has ended.
    package static func ended(_ process: pid_t) { processes.withLock { _ = $0.remove(process) } }

    /// Registers a folder: it is removed when this program is told to end.
    package static func made(_ folder: URL) { folders.withLock { _ = $0.insert(folder) } }
}
