/// Numbers of things, for people.
package enum CountText {
    /// Returns the number with separators: `1,602`.
    package static func grouped(_ number: Int64) -> String {
        var digits = String(number)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }
}
