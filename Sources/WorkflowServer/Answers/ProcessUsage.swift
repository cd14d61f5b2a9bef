import Foundation

/// The process's use of system resources, read from `/proc`. All exporters of Prometheus have these figures
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
struct ProcessUsage {
    /// The processor time of all threads, in seconds.
    let cpuSeconds: Double
    /// The start time in seconds since 1970; `nil` if the system does not report it.
    let startTime: Double?
    /// The virtual memory, in bytes.
    let virtualMemory: Int
    /// The resident memory, in bytes.
    let residentMemory: Int
    let openDescriptors: Int?
    /// The soft limit of open descriptors.
    let mostDescriptors: Int?

    /// The current use; `nil` if there is no `/proc`.
    static var ofThisProcess: ProcessUsage? {
        guard let stat = text(of: "/proc/self/stat") else { return nil }
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessUsage(
            stat: stat, system: text(of: "/proc/stat") ?? "", limits: text(of: "/proc/self/limits") ?? "",
            ticks: sysconf(Int32(_SC_CLK_TCK)), page: sysconf(Int32(_SC_PAGESIZE)),
            // Reading the list takes one descriptor.
            openDescriptors: descriptors.map { $0.count - 1 })
    }

    /// - Parameters:
    ///   - stat: The text of `/proc/PID/stat`, in the format of proc(5).
    ///   - system: The text of `/proc/stat`, whose line `btime` has the start time of the system.
    ///   - limits: The text of `/proc/PID/limits`.
    ///   - ticks: Clock ticks per second.
    ///   - page: Bytes of a page of memory.
    init?(stat: String, system: String, limits: String, ticks: Int, page: Int, openDescriptors: Int?) {
        // The program's name is in parentheses, and may itself contain spaces and parentheses.
        guard let name = stat.lastIndex(of: ")"), ticks > 0 else { return nil }
        // The fields from number 3 on.
        let fields = stat[stat.index(after: name)...].split(separator: " ").map { Double($0) }
        // Proof: the place is compared with the number of fields, and no number below 3 is asked for.
        func field(_ number: Int) -> Double? { number - 3 < fields.count ? fields[number - 3] : nil }
        guard let user = field(14), let kernel = field(15), let begun = field(22), let bytes = field(23),
            let pages = field(24)
        else { return nil }
        cpuSeconds = (user + kernel) / Double(ticks)
        virtualMemory = Int(exactly: bytes.rounded()) ?? 0
        residentMemory = Int(exactly: (pages * Double(page)).rounded()) ?? 0
        startTime = Self.number(after: "btime", in: system, at: 1).map { Double($0) + begun / Double(ticks) }
        mostDescriptors = Self.number(after: "Max open files", in: limits, at: 3)
        self.openDescriptors = openDescriptors
    }

    /// Returns a word of the line that begins with a text; `nil` if the word is not a number, such as `unlimited`.
    private static func number(after begin: String, in text: String, at place: Int) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(begin) }
        let words = line?.split(separator: " ") ?? []
        // Proof: the place is compared with the number of words.
        return place < words.count ? Int(words[place]) : nil
    }

    private static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }
}
