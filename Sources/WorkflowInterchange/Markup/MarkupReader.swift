import Foundation
import Statechart

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads XML text as a tree of elements.
///
/// The reader uses nothing outside the text, and no part of the text expands to more than it shows. Document type
/// declarations are refused. Size, nesting and attributes are limited.
enum MarkupReader {
    /// Returns the root element of a document.
    static func root(of text: String) throws(ImportError) -> MarkupElement {
        guard text.utf8.count <= ImportLimits.textBytes else {
            let limit = ImportLimits.textBytes
            throw ImportError("the document has \(text.utf8.count) bytes; at most \(limit) are read")
        }
        let bytes = plainBytes(of: text)
        guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            throw ImportError("the document is empty")
        }
        let builder = MarkupBuilder(tags: try TagScanner.tags(in: bytes))
        let parser = XMLParser(data: Data(bytes))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        // The result is ignored, because it is true even after some errors.
        _ = parser.parse()
        if let failure = builder.failure { throw failure }
        guard let root = builder.root else { throw ImportError("the document is empty") }
        return root
    }

    /// Returns the text's bytes, with blanks in place of the XML declaration, whose encoding does not apply to this
    /// text. Comments and blanks may precede the declaration: XML forbids that, but many readers allow it.
    private static func plainBytes(of text: String) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var bytes = Array(text.utf8)
        if bytes.starts(with: mark) { bytes.removeFirst(mark.count) }
        let start = declaration(in: bytes)
        guard bytes[start...].starts(with: "<?xml".utf8), bytes[start...].dropFirst(5).first.map(isBlank) == true,
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return bytes }
        for offset in start...end where bytes[offset] != 0x0A { bytes[offset] = 0x20 }
        return bytes
    }

    /// Returns the offset after the blanks and comments at the beginning.
    private static func declaration(in bytes: [UInt8]) -> Int {
        var offset = 0
        while offset < bytes.count {
            if isBlank(bytes[offset]) {
                offset += 1
            } else if bytes[offset...].starts(with: "<!--".utf8) {
                offset += 4
                while offset < bytes.count, !bytes[offset...].starts(with: "-->".utf8) { offset += 1 }
                offset = min(offset + 3, bytes.count)
            } else {
                break
            }
        }
        return offset
    }

    private static func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}

/// Builds the tree from the events of an XML parser, and stops the parser at the first mistake.
private final class MarkupBuilder: NSObject, XMLParserDelegate {
    private(set) var root: MarkupElement?
    private(set) var failure: ImportError?
    private let tags: [TagScanner.Tag]
    private var next = 0
    /// The open elements, from the root down.
    private var open: [MarkupElement] = []

    init(tags: [TagScanner.Tag]) {
        self.tags = tags
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        guard failure == nil, next < tags.count else { return }
        let tag = tags[next]
        next += 1
        guard open.count < ImportLimits.elementNesting else {
            fail("elements are nested deeper than \(ImportLimits.elementNesting) levels", at: tag.place, parser)
            return
        }
        let written = tag.attributes.compactMap { name, place in
            attributes[name].map { MarkupElement.Attribute(name: name, value: $0, place: place) }
        }
        open.append(
            MarkupElement(name: elementName, namespace: namespaceURI ?? "", attributes: written, place: tag.place))
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard failure == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil, !open.isEmpty else { return }
        open[open.count - 1].text += string
    }

    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
        self.parser(parser, foundCharacters: String(decoding: CDATABlock, as: UTF8.self))
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        let place = DefinitionPlace(line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
        fail("not valid XML: " + message((parseError as NSError).code), at: place, parser)
    }

    private func fail(_ message: String, at place: DefinitionPlace, _ parser: XMLParser) {
        guard failure == nil else { return }
        failure = ImportError(message, at: place)
        parser.abortParsing()
    }

    /// Returns the message for a libxml2 error code (`xmlParserErrors`), for common mistakes.
    private func message(_ code: Int) -> String {
        switch code {
        case 4: return "it begins with an element, '<scxml …>'"
        case 5, 76, 77:
            guard let element = open.last else { return "nothing may follow the end of the first element" }
            return "the element \(element.name.quoted) that begins on line \(element.place.line) is not closed"
        case 9: return "a control character"
        case 23: return "an entity ends with ';'; '&' alone is written '&amp;'"
        case 26: return "an entity that XML does not define; write the character itself"
        case 38: return "'<' in an attribute is written '&lt;'"
        case 39, 40: return "the value of an attribute stands in quotes"
        case 41: return "an attribute needs a value"
        case 42: return "an attribute stands twice in one element"
        case 45, 80: return "a comment without its end, or with '--' in it"
        case 63: return "character data ('<![CDATA[') without their end"
        case 64: return "'<?xml …?>' stands at the very beginning or not at all"
        case 65: return "a blank is missing between attributes"
        case 68: return "'<' and '&' are written '&lt;' and '&amp;' where no element or entity begins"
        case 73: return "a tag without its '>'"
        case 201: return "a prefix without its namespace"
        default: return "error \(code) of the XML reader"
        }
    }
}
