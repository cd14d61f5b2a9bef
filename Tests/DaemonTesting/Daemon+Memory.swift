import Foundation
import ThreadTesting

extension Daemon {
    /// Returns the bytes of the process's own memory.
    package func ownMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        guard let line = status.firstMatch(of: /RssAnon:\s+(\d+) kB/), let kilobytes = Int(line.1) else {
            throw TestingError("no RssAnon")
        }
        return kilobytes << 10
    }
}
