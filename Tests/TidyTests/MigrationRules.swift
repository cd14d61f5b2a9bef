import Crypto
import Foundation

/// Rules for the steps of the schema once they are released.
enum MigrationRules {
    /// The SHA-256 digests of the migrations that each release added, by their paths.
    ///
    /// The files are checked once `CHANGELOG.md` has the date of the release. From then on they must not change: a
    /// database that has a step never runs it again.
    static let released: [String: [String: String]] = [
        "0.1.0": [
            "migrations/V0001_initial.sql": "bfe5f414bd51c8d8a632a137ea0d37cdc0040083863e1081ae8c700236f09dda",
            "migrations/V0001_journal.sql": "ae47cf1be7436959ef883b4b47592a739adba33013dadea18bc18d1a6866f8df",
        ],
        "0.2.0": [
            "migrations/V0002_effects.sql": "f395c7736710f479b44d26fd305c1fe8870dafdfb34f288e3b2c0ae2ee77fbb6",
            "migrations/V0003_tally_settings.sql": "a479c7842831e0fa00c337bde96e9c6222294937876af421f71138b11b604635",
            "migrations/V0004_redaction.sql": "ded6bf25b4ae6e78352cd3b5465be7bc649603f06fc8bd7cf84f1293b181828e",
            "migrations/V0005_purge.sql": "9026279f7dc8d371f9cb1b08c3170ac89957b15876b51e4264421449e7053cc3",
            "migrations/V0006_bulk.sql": "b55fbd5f7c2530b02e47c42b4db038202e7be5bd6738b08c321e24eda4df3170",
            "migrations/V0007_place.sql": "e3c9b1fc8cf9baa92e8d9d3332503bd2442a0734f76161a651b6954537c3eaae",
            "migrations/V0008_views.sql": "976dd0262f92d3539eddeea093bd9de490ba95df64625ab021cd06371e32913d",
        ],
        "0.3.0": ["migrations/V0009_change.sql": "0003cac5b1d45849a973ed7821a1f9cf8d1c1843f318125d8253b9ab6ed94d3e"],
        "0.4.0": [:],
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
