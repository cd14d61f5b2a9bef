import Foundation
import GRDB

/// The facts that affect a figure apart from the code: the machine, its disk and the versions. Also names the measured
/// code.
struct Surroundings: Codable {
    let processor: String
    let cores: Int
    let kernel: String
    let fileSystem: String
    let sqlite: String
    let swift: String
    let commit: String
    let date: String
    let load: String

    /// - Parameter folder: The place of the measured files.
    init(folder: URL) throws {
        processor = Self.processorName()
        cores = ProcessInfo.processInfo.activeProcessorCount
        kernel = Self.output(of: ["uname", "-sr"]) ?? "unknown"
        let kinds = Self.output(of: ["df", "--output=fstype", folder.path])?.split(separator: "\n")
        fileSystem = kinds?.last.map(String.init) ?? "unknown"
        sqlite = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "unknown"
        let version = Self.output(of: ["swift", "--version"])?.split(separator: "\n").first
        swift = version.map(String.init) ?? "unknown"
        let revision = Self.output(of: ["git", "rev-parse", "--short=12", "HEAD"])
        let isDirty = Self.output(of: ["git", "status", "--porcelain"])?.isEmpty == false
        commit = (revision ?? "unknown") + (isDirty ? " dirty" : "")
        date = Date().formatted(.iso8601)
        load = Self.load
    }

    /// The head of the table.
    var text: String {
        """
        machine  \(processor), \(cores) cores, \(kernel), \(fileSystem)
        with     SQLite \(sqlite), \(swift)
        commit   \(commit), \(date)
        load     \(load)
        """ + (fileSystem == "tmpfs" ? "\nThe files are in memory: nothing is flushed to a disk" : "")
    }

    /// The load averages of the last 1, 5 and 15 minutes (proc_loadavg(5)).
    static var load: String {
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""  // other systems have none
        return text.split(separator: " ").prefix(3).joined(separator: " ")
    }

    private static func processorName() -> String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""  // other systems have none
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    /// Returns the output of a program; `nil` if the program fails or is missing.
    private static func output(of arguments: [String]) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }  // the answer is nil
        let bytes = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()  // and here
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
