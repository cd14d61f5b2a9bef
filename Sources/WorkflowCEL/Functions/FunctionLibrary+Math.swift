extension FunctionLibrary {
    /// The functions of single numbers and of bits.
    static let mathFunctions: [Overload] =
        roundingFunctions + powerFunctions + signFunctions + kindFunctions + bitFunctions

    private static let roundingFunctions: [Overload] = [
        .native(.function, "math.ceil") { (double: Double, _) in double.rounded(.up) },
        .native(.function, "math.floor") { (double: Double, _) in double.rounded(.down) },
        // Halves round away from zero.
        .native(.function, "math.round") { (double: Double, _) in double.rounded(.toNearestOrAwayFromZero) },
        .native(.function, "math.trunc") { (double: Double, _) in double.rounded(.towardZero) },
        .native(.function, "math.sqrt") { (double: Double, _) in double.squareRoot() },
        .native(.function, "math.sqrt") { (int: Int64, _) in Double(int).squareRoot() },
        .native(.function, "math.sqrt") { (uint: UInt64, _) in Double(uint).squareRoot() },
    ]

    private static let powerFunctions: [Overload] = [
        .native(.function, "math.pow") { (base: Double, exponent: Double, _) in Power.of(base, exponent) },
        .native(.function, "math.pow") { (base: Int64, exponent: Int64, _) in
            Power.of(Double(base), Double(exponent))
        },
        .native(.function, "math.pow") { (base: Double, exponent: Int64, _) in Power.of(base, Double(exponent)) },
        .native(.function, "math.pow") { (base: Int64, exponent: Double, _) in Power.of(Double(base), exponent) },
    ]

    private static let signFunctions: [Overload] = [
        .native(.function, "math.abs") { (double: Double, _) in double.magnitude },
        .native(.function, "math.abs") { (uint: UInt64, _) in uint },
        .native(.function, "math.abs") { (int: Int64, _) throws(EvaluationError) in
            guard int != .min else {
                throw EvaluationError(.overflow, "integer overflow: math.abs of the smallest int is no int")
            }
            return abs(int)
        },
        .native(.function, "math.sign") { (double: Double, _) in
            double > 0 ? 1.0 : double < 0 ? -1.0 : double
        },
        .native(.function, "math.sign") { (int: Int64, _) in int.signum() },
        .native(.function, "math.sign") { (uint: UInt64, _) in uint.signum() },
    ]

    private static let kindFunctions: [Overload] = [
        .native(.function, "math.isNaN") { (double: Double, _) in double.isNaN },
        .native(.function, "math.isInf") { (double: Double, _) in double.isInfinite },
        .native(.function, "math.isFinite") { (double: Double, _) in double.isFinite },
    ]

    private static let bitFunctions: [Overload] = [
        .native(.function, "math.bitAnd") { (left: Int64, right: Int64, _) in left & right },
        .native(.function, "math.bitAnd") { (left: UInt64, right: UInt64, _) in left & right },
        .native(.function, "math.bitOr") { (left: Int64, right: Int64, _) in left | right },
        .native(.function, "math.bitOr") { (left: UInt64, right: UInt64, _) in left | right },
        .native(.function, "math.bitXor") { (left: Int64, right: Int64, _) in left ^ right },
        .native(.function, "math.bitXor") { (left: UInt64, right: UInt64, _) in left ^ right },
        .native(.function, "math.bitNot") { (int: Int64, _) in ~int },
        .native(.function, "math.bitNot") { (uint: UInt64, _) in ~uint },
        .native(.function, "math.bitShiftLeft") { (int: Int64, by: Int64, _) throws(EvaluationError) in
            int << (try checkedShift(by))
        },
        .native(.function, "math.bitShiftLeft") { (uint: UInt64, by: Int64, _) throws(EvaluationError) in
            uint << (try checkedShift(by))
        },
        // Zeros are shifted in from the left, also for a negative int.
        .native(.function, "math.bitShiftRight") { (int: Int64, by: Int64, _) throws(EvaluationError) in
            Int64(bitPattern: UInt64(bitPattern: int) >> (try checkedShift(by)))
        },
        .native(.function, "math.bitShiftRight") { (uint: UInt64, by: Int64, _) throws(EvaluationError) in
            uint >> (try checkedShift(by))
        },
    ]

    private static func checkedShift(_ bits: Int64) throws(EvaluationError) -> Int64 {
        if bits >= 0 { return bits }
        throw EvaluationError(
            .invalidArgument, "negative offset; the shift in the other direction has its own function")
    }
}
