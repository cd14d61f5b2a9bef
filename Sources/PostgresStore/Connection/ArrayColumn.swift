/// One column of several rows, as a one-dimensional array in the binary format.
struct ArrayColumn {
    /// The type of the elements, by its number in `pg_type`.
    enum Element: Int32, Sendable {
        case bool = 16
        case bytea = 17
        case int8 = 20
        case text = 25
    }

    let element: Element
    private var count: Int32 = 0
    private var hasNull = false
    private var elements: [UInt8] = []

    init(_ element: Element) {
        self.element = element
    }

    /// Makes a column of numbers.
    init(_ numbers: some Sequence<Int64>) {
        self.init(.int8)
        for number in numbers { append(number) }
    }

    /// Makes a column of texts.
    init(texts: some Sequence<String>) {
        self.init(.text)
        for text in texts { append(text) }
    }

    mutating func append(_ number: Int64) {
        begin(8)
        elements.append(number)
    }

    mutating func append(_ flag: Bool) {
        begin(1)
        elements.append(flag ? 1 as UInt8 : 0)
    }

    mutating func append(_ text: String) {
        begin(text.utf8.count)
        elements.append(contentsOf: text.utf8)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        begin(bytes.count)
        elements.append(contentsOf: bytes)
    }

    mutating func appendNull() {
        hasNull = true
        count &+= 1
        elements.append(Int32(-1))
    }

    /// Writes the number of dimensions, the presence of NULL, the type, the length and the lower bound, then the
    /// elements.
    func write(to bytes: inout [UInt8]) {
        for number in [count == 0 ? 0 : 1, hasNull ? 1 : 0, element.rawValue] { bytes.append(number) }
        if count == 0 { return }
        for number in [count, 1] { bytes.append(number) }
        bytes.append(contentsOf: elements)
    }

    private mutating func begin(_ bytes: Int) {
        count &+= 1
        elements.append(Int32(truncatingIfNeeded: bytes))
    }
}
