/// A generator of pseudo-random numbers that are the same everywhere for the same seed (Steele, Lea, Flood: "Fast
/// splittable pseudorandom number generators", 2014). The standard library's choices from a generator may change
/// between versions, so the choices that the tests need are here.
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below a bound; the bias is far too small to matter.
    mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "there is no number below \(bound)")
        return Int(next() % UInt64(bound))
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Returns one of some elements; `nil` if there are none.
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    /// Returns some elements in random order.
    mutating func pick<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        var rest = elements
        var picked: [Element] = []
        while picked.count < count, !rest.isEmpty { picked.append(rest.remove(at: below(rest.count))) }
        return picked
    }
}
