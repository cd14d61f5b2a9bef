/// Keeps YAML aliases that multiply ("billion laughs") away from Yams, which compares keys with their expanded values.
///
/// Aliases are rejected after a text is parsed; this check protects the parser. The check counts possible anchors and
/// aliases from the characters alone. So the counts are never too small, and prose with a few such words passes.
enum AliasBound {
    /// Returns the position of the first possible anchor if a text's aliases may stand for too many nodes; otherwise
    /// `nil`.
    static func excess(in text: String) -> SourcePosition? {
        var anchors = 0
        var aliases = 0
        var first: Int?
        let bytes = Array(text.utf8)
        for offset in bytes.indices where bytes[offset] == UInt8(ascii: "&") || bytes[offset] == UInt8(ascii: "*") {
            guard offset + 1 < bytes.count, isName(bytes[offset + 1]), offset == 0 || !isName(bytes[offset - 1]) else {
                continue
            }
            if bytes[offset] == UInt8(ascii: "*") {
                aliases += 1
            } else {
                anchors += 1
                first = first ?? offset
            }
        }
        guard let first, mayExceedBound(anchors: anchors, aliases: aliases) else { return nil }
        return position(of: first, in: bytes)
    }

    /// Returns true if aliases can stand for too many nodes. The number of nodes is largest if the aliases are spread
    /// evenly over the anchors, with one anchor for every e (2.718…) aliases.
    private static func mayExceedBound(anchors: Int, aliases: Int) -> Bool {
        let best = aliases * 1_000 / 2_718
        return [best, best + 1].contains { levels in
            let levels = min(anchors, max(1, levels))
            var nodes = 1.0
            for _ in 0..<levels where nodes <= Double(DefinitionLimits.aliasedNodes) {
                nodes *= Double(aliases) / Double(levels)
            }
            return nodes > Double(DefinitionLimits.aliasedNodes)
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func position(of offset: Int, in bytes: [UInt8]) -> SourcePosition {
        let before = bytes[..<offset]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return SourcePosition(line: line, column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1)
    }
}
