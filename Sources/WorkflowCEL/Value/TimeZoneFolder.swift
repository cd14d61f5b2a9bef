import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's time zone database. Zones are cached, so a change of the database takes effect at the next start.
final class TimeZoneFolder: Sendable {
    /// The database of the system.
    static let system = TimeZoneFolder("/usr/share/zoneinfo")

    private let path: String
    /// The cached zones, at most all of the database.
    private let known = Mutex<[String: TimeZoneData]>([:])
    private let listed = Mutex<[String]?>(nil)

    init(_ path: String) {
        self.path = path
    }

    /// Returns a zone by its name; `nil` if there is none.
    func zone(_ name: String) -> TimeZoneData? {
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard Self.isName(name), let zone = read(name, limit: 1 << 17).flatMap(TimeZoneData.init) else { return nil }
        known.withLock { $0[name] = zone }
        return zone
    }

    /// True if there is no database.
    var isEmpty: Bool { zone("UTC") == nil }

    /// The names of all zones; empty if the database does not list them.
    var names: [String] {
        listed.withLock { listed in
            if let listed { return listed }
            // The lines of zones and of their links: 'Z NAME …', 'L ZONE NAME'.
            let lines = (read("tzdata.zi", limit: 1 << 20) ?? []).split(separator: UInt8(ascii: "\n"))
            let names = lines.compactMap { line -> String? in
                let words = line.split(separator: UInt8(ascii: " "))
                switch (words.first?.first, words.count) {
                case (UInt8(ascii: "Z"), 2...): return String(decoding: words[1], as: UTF8.self)
                case (UInt8(ascii: "L"), 3): return String(decoding: words[2], as: UTF8.self)
                default: return nil
                }
            }
            listed = names.sorted()
            return names.sorted()
        }
    }

    /// Returns true for letters, digits, `_`, `+` and `-`, in parts between single slashes. So no name leads out of the
    /// folder, and each file has one name. Files with leap seconds are for other clocks.
    private static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard name.utf8.count <= 64, !name.hasPrefix("right/"), parts.allSatisfy({ !$0.isEmpty }) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }

    /// Returns the content of a file; `nil` if it cannot be read or is longer than the limit.
    private func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let file = fopen("\(path)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        let content = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = fread(buffer.baseAddress, 1, limit, file)
        }
        return ferror(file) == 0 && content.count < limit ? content : nil
    }
}
