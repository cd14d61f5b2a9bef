/// Sizes in bytes, for people.
package enum ByteText {
    /// Returns the size: `512 B`, `26.4 MiB`.
    package static func text(_ bytes: Int64) -> String {
        guard bytes >= 1_024 else { return "\(bytes) B" }
        var unit = 0
        var tenths = min(bytes, .max / 10) * 10 / 1_024
        while tenths >= 10_240, unit < 3 {
            tenths /= 1_024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(["KiB", "MiB", "GiB", "TiB"][unit])"
    }
}
