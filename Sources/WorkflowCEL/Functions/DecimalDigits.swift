/// The fewest decimal digits that read back as the same double.
struct DecimalDigits {
    private let isNegative: Bool
    /// Without zeros at either end; one zero for zero.
    private let digits: Substring
    /// How many of the digits stand before the point; at most zero when all stand behind it.
    private let point: Int

    /// - Precondition: The double is finite.
    init(_ double: Double) {
        precondition(double.isFinite)
        // Swift writes the fewest digits: `-1.25e-07`, `100.0`.
        let parts = double.magnitude.description.split(separator: "e")
        let number = parts[0].split(separator: ".")
        let fraction = number.count > 1 ? number[1] : ""
        let all = number[0] + fraction
        let zeros = all.prefix { $0 == "0" }.count
        var significant = all.dropFirst(zeros)
        while significant.last == "0" { significant.removeLast() }
        isNegative = double.sign == .minus
        digits = significant.isEmpty ? "0" : significant
        point = significant.isEmpty ? 1 : number[0].count - zeros + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    }

    /// Digits and a point, however many zeros that takes: `0.000001`, `1000000`.
    var plain: String {
        let sign = isNegative ? "-" : ""
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let zeros = point - digits.count
        if zeros >= 0 { return sign + digits + String(repeating: "0", count: zeros) }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }

    /// One digit before the point and an exponent: `1.5e-7`, `1e+21`.
    var scientific: String {
        let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
        let exponent = point - 1
        return (isNegative ? "-" : "") + digits.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+")
            + String(exponent.magnitude)
    }

    /// A double as people write it: plainly as far as that is short, else with an exponent.
    static func text(_ double: Double) -> String {
        guard double.isFinite else { return notFinite(double) }
        // Where Swift writes no exponent, only the `.0` of whole numbers is too much.
        let written = double.description
        if !written.utf8.contains(UInt8(ascii: "e")) {
            return written.utf8.suffix(2).elementsEqual(".0".utf8) ? String(written.dropLast(2)) : written
        }
        let decimal = DecimalDigits(double)
        return -6 < decimal.point && decimal.point <= 21 ? decimal.plain : decimal.scientific
    }

    /// `NaN`, `Infinity` or `-Infinity`.
    static func notFinite(_ double: Double) -> String {
        double.isNaN ? "NaN" : double < 0 ? "-Infinity" : "Infinity"
    }
}
