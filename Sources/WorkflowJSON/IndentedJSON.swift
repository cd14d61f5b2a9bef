/// Writes JSON with a line for every field and element; fields keep their order.
package enum IndentedJSON {
    /// Returns the text without a final line end.
    ///
    /// - Parameter depth: The nesting level of the value; the first line is not indented.
    package static func text(of value: some JSONWritable, depth: Int = 0) -> String {
        var indenter = Indenter(depth: depth)
        for byte in JSONWriter.bytes(value) { indenter.take(byte) }
        return String(decoding: indenter.bytes, as: UTF8.self)
    }

    /// Inserts line ends and spaces into compact JSON, byte by byte.
    private struct Indenter {
        var bytes: [UInt8] = []
        var depth: Int
        private var isInString = false
        private var isEscaped = false
        private var justOpened = false

        init(depth: Int) {
            self.depth = depth
        }

        mutating func take(_ byte: UInt8) {
            if isInString { return takeInString(byte) }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                startElement()
                bytes.append(byte)
                depth += 1
                justOpened = true
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if !justOpened { newLine() }
                justOpened = false
                bytes.append(byte)
            case UInt8(ascii: ","):
                bytes.append(byte)
                newLine()
            case UInt8(ascii: ":"):
                bytes.append(contentsOf: ": ".utf8)
            default:
                startElement()
                isInString = byte == UInt8(ascii: "\"")
                bytes.append(byte)
            }
        }

        private mutating func takeInString(_ byte: UInt8) {
            bytes.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
        }

        private mutating func startElement() {
            if justOpened { newLine() }
            justOpened = false
        }

        private mutating func newLine() {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        }
    }
}
