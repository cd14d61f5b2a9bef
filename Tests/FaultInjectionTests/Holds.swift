import DaemonTesting
import Foundation

/// Holds calls of a daemon that may block for long, through the library that the daemon is started with.
struct Holds {
    /// The calls that are held; the names are those of `Holds.h`.
    enum Call: String, CaseIterable {
        case names, hosts, starts, flushes, pool
    }

    private let folder: String

    init(in folder: TemporaryFolder) throws {
        self.folder = try folder.makeFolder("holds")
    }

    /// The variables to start the daemon with.
    var environment: [String: String] {
        get throws {
            ["LD_PRELOAD": try Programs.path("libHolds.so"), "HOLDS_FOLDER": folder]
        }
    }

    /// From now on such calls block.
    func shut(_ call: Call) throws {
        try Data().write(to: URL(filePath: folder + "/" + call.rawValue))
    }

    /// Lets them go on.
    func open(_ call: Call) throws {
        try FileManager.default.removeItem(atPath: folder + "/" + call.rawValue)
    }

    /// True when one has blocked.
    func isHeld(_ call: Call) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + call.rawValue + ".held")
    }
}
