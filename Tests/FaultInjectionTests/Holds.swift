import DaemonTesting
import Foundation

/// Holds calls of a daemon that may block for long, by a library that the daemon is started with.
struct Holds {
    /// A call that can be held; the names are those of `Holds.h`.
    enum Call: String, CaseIterable {
        case names, rules, hosts, starts, flushes, pool
        /// The flushes of the writer, which holds up everybody.
        case syncs
        /// Waits of 10 to 60 seconds, which are not held but cut short.
        case waits

        /// The calls that must not hold up anybody else.
        static let allCases: [Call] = [.names, .hosts, .starts, .flushes, .pool]
    }

    private let folder: String

    init(in folder: TemporaryFolder) throws {
        self.folder = try folder.makeFolder("holds")
    }

    /// The environment to start the daemon with.
    var environment: [String: String] {
        get throws {
            ["LD_PRELOAD": try Programs.path("libHolds.so"), "HOLDS_FOLDER": folder]
        }
    }

    /// Makes calls of a kind block from now on.
    func shut(_ call: Call) throws {
        try Data().write(to: URL(filePath: folder + "/" + call.rawValue))
    }

    /// Lets the calls continue.
    func open(_ call: Call) throws {
        try FileManager.default.removeItem(atPath: folder + "/" + call.rawValue)
    }

    /// Returns true if a call has blocked.
    func isHeld(_ call: Call) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + call.rawValue + ".held")
    }
}
