/// A clause of a format, which begins with `%`: the notation of one value.
enum FormatClause: Equatable {
    case string, binary, octal
    /// A decimal number with at least this many characters, padded with leading zeros.
    case decimal(width: Int)
    case hexadecimal(isUppercase: Bool)
    /// A number with this many digits after the point.
    case fixed(precision: Int)
    case scientific(precision: Int)

    /// The largest number of digits after the point.
    static let longestPrecision = 1000

    /// Reads the text after the `%`: a zero and a width, a precision, or neither, and then a letter.
    init(_ rest: inout Substring.UTF8View, in version: LanguageVersion) throws(EvaluationError) {
        if version != .first, rest.first == UInt8(ascii: "0") {
            self = .decimal(width: try Self.width(&rest))
            return
        }
        let precision = try Self.precision(&rest)
        guard let letter = rest.popFirst() else {
            throw EvaluationError(.invalidArgument, "the format ends within a clause; a percent sign is written '%%'")
        }
        switch letter {
        case UInt8(ascii: "s"): self = .string
        case UInt8(ascii: "d"): self = .decimal(width: 0)
        case UInt8(ascii: "b"): self = .binary
        case UInt8(ascii: "o"): self = .octal
        case UInt8(ascii: "x"): self = .hexadecimal(isUppercase: false)
        case UInt8(ascii: "X"): self = .hexadecimal(isUppercase: true)
        case UInt8(ascii: "f"): self = .fixed(precision: precision ?? 6)
        case UInt8(ascii: "e"): self = .scientific(precision: precision ?? 6)
        default:
            let found = letter < 0x80 ? "'%\(Character(Unicode.Scalar(letter)))'" : "a clause"
            throw EvaluationError(
                .invalidArgument, "the format has \(found); it knows %s, %d, %f, %e, %b, %o, %x, %X and %%")
        }
    }

    /// The values that the clause accepts, for messages.
    var takes: String {
        switch self {
        case .string: "any value but an optional"
        case .decimal, .fixed, .scientific: "a number"
        case .binary: "an int, a uint or a bool"
        case .octal: "an int or a uint"
        case .hexadecimal: "an int, a uint, a string or bytes"
        }
    }

    /// The text of the clause, without its precision.
    var text: String {
        switch self {
        case .string: "%s"
        case .decimal: "%d"
        case .binary: "%b"
        case .octal: "%o"
        case .hexadecimal(let isUppercase): isUppercase ? "%X" : "%x"
        case .fixed: "%f"
        case .scientific: "%e"
        }
    }

    /// Reads the width of a clause such as `%02d`.
    private static func width(_ rest: inout Substring.UTF8View) throws(EvaluationError) -> Int {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        guard let width = Int(String(decoding: digits, as: UTF8.self)), 1...longestPrecision ~= width,
            rest.popFirst() == UInt8(ascii: "d")
        else {
            throw EvaluationError(
                .invalidArgument, "zeros in front are for '%d', up to \(longestPrecision) characters, as in '%02d'")
        }
        return width
    }

    private static func precision(_ rest: inout Substring.UTF8View) throws(EvaluationError) -> Int? {
        guard rest.first == UInt8(ascii: ".") else { return nil }
        rest.removeFirst()
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        guard let precision = Int(String(decoding: digits, as: UTF8.self)), precision <= longestPrecision else {
            throw EvaluationError(
                .invalidArgument, "a precision is a number of digits from 0 to \(longestPrecision), as in '%.2f'")
        }
        return precision
    }
}
