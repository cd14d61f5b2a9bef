import Crypto
import Foundation

/// Rules for the steps of the schema once they are released.
enum MigrationRules {
    /// The SHA-256 digest of every migration in a release, by its path.
    ///
    /// A release adds a line for each new file. From then on the file must not change: a database that has it would
    /// never run it again.
    static let released = [
        "migrations/V0001_initial.sql": "bfe5f414bd51c8d8a632a137ea0d37cdc0040083863e1081ae8c700236f09dda",
        "migrations/V0001_journal.sql": "ae47cf1be7436959ef883b4b47592a739adba33013dadea18bc18d1a6866f8df",
    ]

    /// The most bytes of a file that is pleasant to embed.
    static let fileBytes = 10_000

    /// Finds released files that are missing or changed.
    static func unchanged(
        released: [String: String], bytes: (String) -> Data?
    ) -> [Finding] {
        released.sorted { $0.key < $1.key }.compactMap { path, checksum in
            guard let data = bytes(path) else { return Finding(path, "a released migration is missing") }
            let found = SHA256.hash(data: data).map { String($0, radix: 16).leftPadded(to: 2) }.joined()
            return found == checksum ? nil : Finding(path, "a released migration has changed: SHA-256 is now \(found)")
        }
    }

    /// Finds files whose names are not `V0001_name.sql`, and gaps in their numbers; several files may share one step.
    static func names(_ paths: [String]) -> [Finding] {
        let files = paths.filter { $0.hasSuffix(".sql") }.sorted()
        var last = 0
        return files.compactMap { path in
            let name = path.split(separator: "/").last ?? ""
            let digits = name.dropFirst().prefix(4)
            guard name.hasPrefix("V"), digits.count == 4, let number = Int(digits), name.dropFirst(5).hasPrefix("_")
            else {
                return Finding(path, "a migration is called V0001_name.sql")
            }
            guard number == last || number == last + 1 else {
                return Finding(path, "step \(number) follows step \(last)")
            }
            last = number
            return nil
        }
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
