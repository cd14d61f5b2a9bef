package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file beside a database that records the last backup and the last verification, one line each, such as `backup
/// 1764154800000`.
///
/// The file is separate, because these times concern one copy of the database, and the database must not change for
/// them. Nothing depends on a flush, so there is none. After a power failure the file is the old one, the new one, or
/// missing.
struct UpkeepFile: StoreUpkeep {
    let file: StoreFile

    private static let backup = "backup"
    private static let verification = "verification"
    /// The maximum number of bytes read, more than the file ever has.
    private static let longest = 4_096

    func upkeepTimes() -> UpkeepTimes {
        // A file that is missing or cannot be read contains no times.
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

    func keptCopies() -> [String] { file.copiesBeforeUpgrades }
}

extension SQLiteFileStore {
    package var upkeep: (any StoreUpkeep)? { UpkeepFile(file: file) }
}
