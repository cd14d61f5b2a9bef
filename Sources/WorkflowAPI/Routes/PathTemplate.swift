/// The path of a route: words, and parameters that stand for one word each, as in `/v1/instances/{instance}/events`.
public struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// As it is written.
    public let description: String
    /// The names of its parameters, in their order.
    public let parameters: [String]
    /// The text around the parameters: one more than there are of these.
    private let texts: [String]

    /// Takes a template as it is written here; each parameter is a whole word.
    init(_ text: String) {
        description = text
        var parameters: [String] = []
        var texts = [""]
        for word in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            texts[texts.count - 1] += "/"
            if word.hasPrefix("{"), word.hasSuffix("}") {
                parameters.append(String(word.dropFirst().dropLast()))
                texts.append("")
            } else {
                texts[texts.count - 1] += word
            }
        }
        self.parameters = parameters
        self.texts = texts
    }

    /// The path with values for its parameters, percent-encoded, so any text is safe to put in.
    public func path(_ values: [String]) -> String {
        precondition(values.count == parameters.count, "'\(self)' has \(parameters.count) parameters")
        var path = texts[0]
        for (value, text) in zip(values, texts.dropFirst()) { path += PercentEncoding.encode(value) + text }
        return path
    }

    /// The value of the only parameter in a path that needs no decoding; nil for any other path, for one with a query,
    /// and for a template with another number of parameters.
    package func onlyValue(in path: String) -> String? {
        guard texts.count == 2 else { return nil }
        let (path, prefix, suffix) = (path.utf8, texts[0].utf8, texts[1].utf8)
        guard path.count > prefix.count + suffix.count, path.starts(with: prefix) else { return nil }
        let value = path.dropFirst(prefix.count).dropLast(suffix.count)
        guard path.suffix(suffix.count).elementsEqual(suffix), !value.contains(where: Self.needsDecoding) else {
            return nil
        }
        return String(value)
    }

    private static func needsDecoding(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }
}
