/// The shortest decimal digits that read back as the same double.
struct DecimalDigits {
    private let isNegative: Bool
    /// The digits without zeros at either end; `0` for zero.
    private let digits: Substring
    /// The number of digits before the point; zero or less if all digits are after the point.
    private let point: Int

    /// Creates the digits of a double.
    ///
    /// - Precondition: The double is finite.
    init(_ double: Double) {
        precondition(double.isFinite)
        // Swift prints the shortest digits: `-1.25e-07`, `100.0`.
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

    /// The number without an exponent, with as many zeros as needed: `0.000001`, `1000000`.
    var plain: String {
        let sign = isNegative ? "-" : ""
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let zeros = point - digits.count
        if zeros >= 0 { return sign + digits + String(repeating: "0", count: zeros) }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }

    /// The number with one digit before the point and an exponent: `1.5e-7`, `1e+21`.
    var scientific: String {
        let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
        let exponent = point - 1
        return (isNegative ? "-" : "") + digits.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+")
            + String(exponent.magnitude)
    }

    /// Returns the usual text of a double: without an exponent if that is short, or else with one.
    static func text(_ double: Double) -> String {
        guard double.isFinite else { return notFinite(double) }
        // If Swift prints no exponent, only the `.0` of whole numbers must be removed.
        let written = double.description
        if !written.utf8.contains(UInt8(ascii: "e")) {
            return written.utf8.suffix(2).elementsEqual(".0".utf8) ? String(written.dropLast(2)) : written
        }
        let decimal = DecimalDigits(double)
        return -6 < decimal.point && decimal.point <= 21 ? decimal.plain : decimal.scientific
    }

    /// Returns `NaN`, `Infinity` or `-Infinity`.
    static func notFinite(_ double: Double) -> String {
        double.isNaN ? "NaN" : double < 0 ? "-Infinity" : "Infinity"
    }
}
