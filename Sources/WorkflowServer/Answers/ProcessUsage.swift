import Foundation

/// The process's use of the system, as `/proc` tells it: the figures that every exporter of Prometheus has
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
struct ProcessUsage {
    /// Processor time of all its threads, in seconds.
    let cpuSeconds: Double
    /// In seconds since 1970; nil where the system does not say when it was started.
    let startTime: Double?
    /// In bytes.
    let virtualMemory: Int
    /// In bytes.
    let residentMemory: Int
    let openDescriptors: Int?
    /// The soft limit.
    let mostDescriptors: Int?

    /// The use now; nil where there is no `/proc`.
    static var ofThisProcess: ProcessUsage? {
        guard let stat = text(of: "/proc/self/stat") else { return nil }
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessUsage(
            stat: stat, system: text(of: "/proc/stat") ?? "", limits: text(of: "/proc/self/limits") ?? "",
            ticks: sysconf(Int32(_SC_CLK_TCK)), page: sysconf(Int32(_SC_PAGESIZE)),
            // Reading the list takes one of them.
            openDescriptors: descriptors.map { $0.count - 1 })
    }

    /// - Parameters:
    ///   - stat: `/proc/PID/stat`, as proc(5) has it.
    ///   - system: `/proc/stat`; its line `btime` says when the system was started.
    ///   - limits: `/proc/PID/limits`.
    ///   - ticks: In a second.
    ///   - page: Bytes of a page of memory.
    init?(stat: String, system: String, limits: String, ticks: Int, page: Int, openDescriptors: Int?) {
        // The name of the program stands in parentheses, and may have spaces and parentheses itself.
        guard let name = stat.lastIndex(of: ")"), ticks > 0 else { return nil }
        // From field 3 on.
        let fields = stat[stat.index(after: name)...].split(separator: " ").map { Double($0) }
        // Proof: the place is compared with their number, and no number below 3 is asked for.
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

    /// A word of the line that begins with a text; nil where it is no number, as `unlimited`.
    private static func number(after begin: String, in text: String, at place: Int) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(begin) }
        let words = line?.split(separator: " ") ?? []
        // Proof: the place is compared with their number.
        return place < words.count ? Int(words[place]) : nil
    }

    private static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }
}
