/// Powers that are identical to the bit on every machine.
///
/// A history is replayed on other machines, and the C library's `pow` differs in its last bit between versions and
/// processors. `Power` uses only operations with one IEEE 754 result: `+`, `*`, `/`, square root and fused
/// multiply-add. The operations work on pairs of doubles with about 100 bits. The error is at most one unit in the last
/// place, except for exponents beyond 2^50: each squaring doubles the error.
enum Power {
    /// Returns `base` to the power of `exponent`, with the special cases of C (ISO/IEC 9899 F.10.4.4).
    static func of(_ base: Double, _ exponent: Double) -> Double {
        if exponent == 0 || base == 1 { return 1 }
        if base.isNaN || exponent.isNaN { return .nan }
        if exponent.isInfinite {
            if base.magnitude == 1 { return 1 }
            return (base.magnitude > 1) == (exponent > 0) ? .infinity : 0
        }
        let isWhole = exponent.rounded(.towardZero) == exponent
        // From 2^53 on, every double is even.
        let isOdd = isWhole && exponent.magnitude < 0x1p53 && Int64(exponent) % 2 != 0
        if base < 0 || base.sign == .minus, isOdd { return -of(base.magnitude, exponent) }
        if base < 0, !isWhole, base.isFinite { return .nan }
        let magnitude = base.magnitude
        if magnitude == 0 || magnitude.isInfinite { return (magnitude == 0) == (exponent > 0) ? 0 : .infinity }
        // Beyond this exponent the result is always zero, one or infinity.
        guard exponent.magnitude < 0x1p63 else {
            return magnitude == 1 ? 1 : (magnitude > 1) == (exponent > 0) ? .infinity : 0
        }
        return power(of: magnitude, exponent)
    }

    /// Returns the power of a positive base: the whole part by squaring, the fraction by square roots.
    private static func power(of base: Double, _ exponent: Double) -> Double {
        let whole = exponent.magnitude.rounded(.down)
        var fraction = exponent.magnitude - whole
        var result = Wide(1)
        var square = Wide(base)
        var left = UInt64(whole)
        while left > 0 {
            if left & 1 == 1 { result = result * square }
            left >>= 1
            if left > 0 { square = square * square }
        }
        var root = Wide(base)
        while fraction > 0 {
            root = root.squareRoot
            fraction *= 2
            if fraction >= 1 {
                result = result * root
                fraction -= 1
            }
        }
        return exponent < 0 ? result.inverse : result.double
    }
}

/// A number `(high + low) * 2^scale`. `high` is at least 1 and less than 2, and `low` is less than the last bit of
/// `high`.
private struct Wide {
    private let high: Double
    private let low: Double
    private let scale: Int

    init(_ double: Double) {
        self.init(double.significand, 0, Int(double.exponent))
    }

    /// Normalizes any positive `high` within the range that products and roots have.
    private init(_ high: Double, _ low: Double, _ scale: Int) {
        let sum = high + low
        let rest = low - (sum - high)
        let shift = sum.exponent
        self.high = sum.significand
        self.low = Double(sign: .plus, exponent: -shift, significand: rest)
        // No double reaches this bound, which prevents an overflow by repeated squaring.
        self.scale = min(max(scale + Int(shift), -(1 << 40)), 1 << 40)
    }

    static func * (left: Wide, right: Wide) -> Wide {
        let product = left.high * right.high
        let error = (-product).addingProduct(left.high, right.high)
        return Wide(product, error + (left.high * right.low + left.low * right.high), left.scale + right.scale)
    }

    /// The square root: one Newton step from the root of the nearest double.
    var squareRoot: Wide {
        let isOdd = scale % 2 != 0
        let high = isOdd ? self.high * 2 : self.high
        let low = isOdd ? self.low * 2 : self.low
        let root = high.squareRoot()
        let rest = high.addingProduct(-root, root) + low
        return Wide(root, rest / (2 * root), (isOdd ? scale - 1 : scale) / 2)
    }

    /// The nearest double.
    var double: Double { Double(sign: .plus, exponent: Self.clamped(scale), significand: high) }

    /// The nearest double to the reciprocal.
    var inverse: Double {
        let quotient = 1 / high
        let rest = 1.0.addingProduct(-quotient, high) - quotient * low
        return Wide(quotient, rest / high, -scale).double
    }

    private static func clamped(_ scale: Int) -> Int { min(max(scale, -5_000), 5_000) }
}
