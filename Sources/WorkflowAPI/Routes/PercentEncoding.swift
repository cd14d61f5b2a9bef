/// Percent-encoding of path segments and query values (RFC 3986, section 2).
package enum PercentEncoding {
    /// Keeps unreserved characters, encodes every other byte.
    ///
    /// A segment that is only dots would be taken as a step in the path, so its dots are encoded too.
    package static func encode(_ text: String) -> String {
        let isDots = text == "." || text == ".."
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                bytes.append(contentsOf: (byte < 16 ? "%0" : "%").utf8)
                bytes.append(contentsOf: digits.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
