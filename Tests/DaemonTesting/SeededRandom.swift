/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c): the same numbers for the same seed, everywhere.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter path: Numbers that tell generators with the same seed apart.
    package init(seed: UInt64, _ path: Int...) {
        state = seed
        for step in path { state = next() ^ UInt64(bitPattern: Int64(step)) }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
