extension Collection<UInt8> {
    /// The bytes in lower-case hexadecimal, two digits each.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            var place = 0
            for byte in self {
                text[place] = Self.digit(byte >> 4)
                text[place + 1] = Self.digit(byte & 0xF)
                place += 2
            }
            return place
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
