/// Writes JSON text, value by value, without spaces; fields keep the order in which they are written.
public struct JSONWriter: Sendable {
    /// The written bytes, UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// Creates a writer with room for `capacity` bytes without growing.
    public init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Returns the canonical text of one value.
    public static func bytes(_ value: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        value.write(to: &writer)
        return writer.bytes
    }

    /// Returns the canonical text of one value, as a string.
    public static func string(_ value: some JSONWritable) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    /// Writes an object whose fields are written by the closure.
    public mutating func object(_ fields: (inout JSONWriter) -> Void) {
        nest(open: UInt8(ascii: "{"), close: UInt8(ascii: "}"), fields)
    }

    /// Writes an array whose elements are written by the closure.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        nest(open: UInt8(ascii: "["), close: UInt8(ascii: "]"), elements)
    }

    /// Ends a line of a text with one value per line, so that the next value may be written.
    public mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }

    /// Writes text around values, such as the frame of an event; a value may follow.
    public mutating func frame(_ text: StaticString) {
        text.withUTF8Buffer { frame(utf8: $0) }
    }

    /// Writes UTF-8 around values, as `frame(_:)` does for static text.
    public mutating func frame(utf8 text: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: text)
        needsComma = false
    }

    /// Writes one field of an object.
    @inlinable public mutating func field(_ name: String, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes one field of an object, or nothing if there is no value.
    @inlinable public mutating func field(_ name: String, ifPresent value: (some JSONWritable)?) {
        if let value { field(name, value) }
    }

    /// Writes the name of a field; its value must follow.
    public mutating func key(_ name: String) {
        var name = name
        name.withUTF8 { escaped($0) }
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of a field that needs no escapes; its value must follow.
    public mutating func key(plain name: StaticString) {
        name.withUTF8Buffer { quote($0, isKey: true) }
        needsComma = false
    }

    /// Writes a string with its quotes and escapes.
    public mutating func string(_ string: String) {
        var string = string
        string.withUTF8 { escaped($0) }
        needsComma = true
    }

    /// Writes a string with its quotes and escapes.
    public mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        escaped(text)
        needsComma = true
    }

    /// Writes a string that needs no escapes.
    public mutating func quoted(plain text: UnsafeBufferPointer<UInt8>) {
        quote(text)
        needsComma = true
    }

    /// Writes an integer.
    public mutating func integer(_ integer: Int64) {
        comma()
        needsComma = true
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        // A 64-bit integer has at most 20 decimal digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = integer.magnitude
            var start = digits.count
            repeat {
                start -= 1
                // Proof: a magnitude has no sign.
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes text that is already valid JSON.
    public mutating func raw(_ text: String) {
        comma()
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    /// Writes UTF-8 that is already valid JSON.
    public mutating func raw(utf8 text: UnsafeBufferPointer<UInt8>) {
        comma()
        bytes.append(contentsOf: text)
        needsComma = true
    }

    private mutating func nest(open: UInt8, close: UInt8, _ body: (inout JSONWriter) -> Void) {
        comma()
        bytes.append(open)
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        var isPlain = true
        for byte in text where Self.needsEscape(byte) { isPlain = false }
        if isPlain { return quote(text) }
        comma()
        bytes.append(UInt8(ascii: "\""))
        for byte in text { escape(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text in quotes, with a comma before or a colon after it, growing the buffer once.
    private mutating func quote(_ text: UnsafeBufferPointer<UInt8>, isKey: Bool = false) {
        bytes.append(addingCapacity: text.count + 4) { [needsComma] end in
            if needsComma { end.append(UInt8(ascii: ",")) }
            end.append(UInt8(ascii: "\""))
            end.append(contentsOf: text)
            end.append(UInt8(ascii: "\""))
            if isKey { end.append(UInt8(ascii: ":")) }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0..<0x20:
            bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}

/// A type that can write itself as one JSON value.
public protocol JSONWritable {
    /// Writes exactly one value.
    func write(to writer: inout JSONWriter)
}

extension JSONValue: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .bool(let bool): bool.write(to: &writer)
        case .int(let int): int.write(to: &writer)
        case .double(let double): writer.raw(double.description)
        case .string(let string): writer.string(string)
        case .array(let elements): elements.write(to: &writer)
        case .object(let object): object.write(to: &writer)
        }
    }
}

extension JSONObject: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for member in members { writer.field(member.key, member.value) }
        }
    }
}

extension String: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.raw(self ? "true" : "false") }
}

extension Int64: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes for which there is room.
    fileprivate mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        withUnsafeMutableBufferPointer { room, count in
            // Proof: the span was made with room for all that is appended.
            guard let end = room.baseAddress, bytes.count <= room.count - count else { preconditionFailure("no room") }
            (end + count).initialize(from: start, count: bytes.count)
            count += bytes.count
        }
    }
}
