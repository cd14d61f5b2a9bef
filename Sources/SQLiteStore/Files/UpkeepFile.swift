package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file beside a database that keeps when somebody last took care of it: a line for each time, as
/// `backup 1764154800000`.
///
/// A file of its own: the database is not changed for what concerns one copy of it. Nothing depends on its flush, so it
/// has none; after a loss of power it is the old one, the new one, or none.
struct UpkeepFile: StoreUpkeep {
    let file: StoreFile

    private static let backup = "backup"
    private static let verification = "verification"
    /// More than it ever has.
    private static let longest = 4_096

    func upkeepTimes() -> UpkeepTimes {
        // One that is missing or cannot be read tells nothing.
        guard let reader = try? FileReader(file.upkeep, for: file.given),
            let bytes = try? reader.read(atMost: Self.longest)
        else { return UpkeepTimes() }
        var times = UpkeepTimes()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let name = words.first, let time = words.last.flatMap({ Int64($0) }),
                Timestamp.range.contains(time)
            else { continue }
            switch name {
            case Self.backup: times.backup = Timestamp(rawValue: time)
            case Self.verification: times.verification = Timestamp(rawValue: time)
            default: break
            }
        }
        return times
    }

    func keep(_ times: UpkeepTimes) throws(StoreError) {
        let lines = [(Self.backup, times.backup), (Self.verification, times.verification)].compactMap { name, time in
            time.map { "\(name) \($0.rawValue)\n" }
        }
        let new = file.upkeep + "-new"
        unlink(new)
        close(try StoreFile.openPresent(new, O_WRONLY | O_CREAT | O_EXCL, for: file.given))
        try FileWriter(new, for: new).write(Array(lines.joined().utf8))
        guard rename(new, file.upkeep) == 0 else { throw StoreFile.failure(file.given, errno, "'\(file.upkeep)': ") }
    }
}

extension SQLiteFileStore {
    package var upkeep: (any StoreUpkeep)? { UpkeepFile(file: file) }
}
