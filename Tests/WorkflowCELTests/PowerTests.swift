import Foundation
import Testing
import ThreadTesting

@testable import WorkflowCEL

/// Tests powers against those of the C library.
@Suite(.ownThreads) struct PowerTests {
    private static let edges: [Double] = [
        0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, 1e-3, 1023, 1024, -1074, -1075, 0x1p53, -0x1p53, 0x1p53 - 1,
        0x1p63, 1e300, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 1 + .ulpOfOne, 1 - .ulpOfOne / 2,
    ]

    @Test func specialCasesAreThoseOfC() {
        for base in Self.edges {
            for exponent in Self.edges {
                #expect(isClose(Power.of(base, exponent), pow(base, exponent)), "\(base) to \(exponent)")
            }
        }
    }

    @Test func randomPowersDifferInTheLastBitAtMost() {
        var generator = SplitMix(state: 14)
        for _ in 0..<20_000 {
            let base = Double.random(in: 0...1, using: &generator) * pow(10, .random(in: -20...20, using: &generator))
            let exponent = Double.random(in: -15...15, using: &generator)
            #expect(isClose(Power.of(base, exponent), pow(base, exponent)), "\(base) to \(exponent)")
        }
    }

    @Test func wholePowersThatADoubleHoldsAreExact() {
        for base in 2...10 {
            var power = base
            var exponent = 1
            while power < 1 << 53 {
                #expect(Power.of(Double(base), Double(exponent)) == Double(power))
                power *= base
                exponent += 1
            }
        }
        let huge = Power.of(1 - .ulpOfOne / 2, 0x1p62) / pow(1 - .ulpOfOne / 2, 0x1p62)
        #expect(abs(huge - 1) < 1e-9)
        #expect(Power.of(2, 0.5) == 2.0.squareRoot() && Power.of(1.05, 10) == 1.628894626777442)
    }

    private func isClose(_ left: Double, _ right: Double) -> Bool {
        if left.isNaN || right.isNaN { return left.isNaN && right.isNaN }
        if left.sign != right.sign { return false }
        return left == right || left.nextUp == right || left.nextDown == right
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
