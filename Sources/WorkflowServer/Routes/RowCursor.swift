import WorkflowStore

/// A place in the journal in the opaque form that callers see: generation, partition, and position within the
/// partition. Most cursors are those of rows.
struct RowCursor: Equatable {
    let generation: Int64
    let position: Position

    /// The cursor's text: base64 of digits and dots, which has no character that a URL would change.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// Calls a function with the bytes of the text, without padding.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostWords) { words in
            // The text is written from the end to the beginning, as digits are computed.
            var start = words.count
            func put(_ number: Int64) {
                var rest = number.magnitude
                repeat {
                    start -= 1
                    // Proof: a magnitude has no sign.
                    words[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                } while rest > 0
            }
            func putDot() {
                start -= 1
                words[start] = UInt8(ascii: ".")
            }
            put(position.number)
            putDot()
            put(position.partition.rawValue)
            putDot()
            put(generation)
            return Self.withBase64(UnsafeBufferPointer(rebasing: words[start...]), body)
        }
    }

    /// The bytes of three 64-bit numbers and the dots between them.
    private static let mostWords = 3 * 20 + 2

    private static func withBase64<Result>(
        _ words: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: mostWords / 3 * 4 + 4) { text in
            var (place, count) = (0, 0)
            while place < words.count {
                let group = min(3, words.count - place)
                var bits = 0
                for offset in 0..<group { bits |= Int(words[place + offset]) << (16 - 8 * offset) }
                for _ in 0...group {
                    text[count] = letter(bits >> 18)
                    bits = bits << 6 & 0xFF_FFFF
                    count += 1
                }
                place += group
            }
            return body(UnsafeBufferPointer(rebasing: text[..<count]))
        }
    }

    private static func letter(_ value: Int) -> UInt8 { alphabet.utf8Start[value] }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    init(generation: Int64, position: Position) {
        self.generation = generation
        self.position = position
    }

    /// Parses a cursor that `text` made; `nil` for any other text.
    init?(text: String) {
        guard let cursor = JournalCursor(text: text), let position = cursor.place.only else { return nil }
        self.init(generation: cursor.generation, position: position)
    }
}
