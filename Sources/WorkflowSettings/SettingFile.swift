import Foundation
import Statechart
import WorkflowSpelling

/// The settings that a file has, each with its place, before their values are read.
struct SettingFile {
    /// The most bytes of a file; it has room for thousands of addresses.
    static let bytes = 1 << 16

    /// A value of the file.
    struct Entry {
        let value: SettingValue
        /// The place of the key.
        let place: DefinitionPlace
    }

    /// The values by the keys of the settings.
    private(set) var entries: [String: Entry] = [:]
    /// The mistakes in the file that are not about values.
    private(set) var mistakes: [SettingMistake] = []
    private let path: String
    private let table: [Setting]

    /// Reads a file.
    ///
    /// - Parameter mayBeMissing: True if a missing file has no settings; else it is a mistake.
    init(_ path: String, mayBeMissing: Bool, table: [Setting]) {
        self.path = path
        self.table = table
        do {
            guard let text = try Self.text(of: path, mayBeMissing: mayBeMissing), Self.hasContent(text) else { return }
            let (tree, diagnostics) = try DefinitionText.reading(text)
            for diagnostic in diagnostics { report(diagnostic) }
            read(tree, below: "")
        } catch let error as DefinitionError {
            for diagnostic in error.diagnostics { report(diagnostic) }
        } catch {
            mistakes.append(SettingMistake("\(error)", at: .wholeFile(path)))
        }
    }

    /// Returns the text of a file; `nil` if the file is missing and may be.
    private static func text(of path: String, mayBeMissing: Bool) throws -> String? {
        // `O_NONBLOCK` does not wait for the other end of a pipe, which is refused below.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT, mayBeMissing { return nil }
            throw SettingMistake(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SettingMistake("it is no file")
        }
        var read = [UInt8](repeating: 0, count: bytes + 1)
        var count = 0
        while count < read.count {
            let more = read.withUnsafeMutableBytes { buffer in
                Foundation.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if more == 0 { break }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { throw SettingMistake(String(cString: strerror(errno))) }
            count += more
        }
        guard count <= bytes else { throw SettingMistake("it has more than \(bytes) bytes") }
        guard let text = String(validating: read[..<count], as: UTF8.self) else {
            throw SettingMistake("it is not UTF-8")
        }
        return text
    }

    /// Returns true if a text has more than comments.
    private static func hasContent(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let word = line.drop(while: \.isWhitespace)
            return !word.isEmpty && !word.hasPrefix("#")
        }
    }

    /// Reads the members of a map, whose keys follow a prefix.
    private mutating func read(_ node: DefinitionNode, below prefix: String) {
        // An empty map may be meant as rules for nobody, or as no rules: with the key gone it is clear.
        if !prefix.isEmpty, node.isEmpty {
            let keys = table.filter { $0.key.hasPrefix(prefix) }.map { "'\($0.key.dropFirst(prefix.count))'" }
            let words = keys.joined(separator: " or ")
            return report("'\(prefix.dropLast())' is empty: write \(words) below it, or remove it", at: node.place)
        }
        guard let members = node.members else {
            let what = prefix.isEmpty ? "the file" : "'\(prefix.dropLast())'"
            return report("\(what) must be a map, not \(node.kind)", at: node.place)
        }
        for member in members {
            let key = prefix + member.key
            if let setting = table.first(where: { $0.key == key }) {
                guard let place = member.place, let value = value(of: member.value, setting) else { continue }
                entries[key] = Entry(value: value, place: place)
            } else if table.contains(where: { $0.key.hasPrefix(key + ".") }) {
                read(member.value, below: key + ".")
            } else {
                reportUnknown(member, below: prefix)
            }
        }
    }

    private mutating func reportUnknown(_ member: DefinitionNode.Member, below prefix: String) {
        let known = table.map(\.key).filter { $0.hasPrefix(prefix) }.map { key in
            String(key.dropFirst(prefix.count).prefix { $0 != "." })
        }
        let hint: String
        if let setting = table.first(where: { $0.flag == "--" + member.key }), prefix.isEmpty {
            // A key of a nested map in the spelling of its flag.
            let parts = setting.key.split(separator: ".")
            hint = "write '\(parts.last ?? "")' below '\(parts.dropLast().joined(separator: "."))'"
        } else if let closest = Spelling.closest(to: member.key, among: known) {
            hint = "did you mean '\(closest)'?"
        } else {
            hint = "'wfd config example' has all keys"
        }
        let name = member.key.count > 60 ? member.key.prefix(60) + "…" : member.key[...]
        report("unknown key '\(prefix)\(name)'; \(hint)", at: member.place)
    }

    /// Returns the value of a node in the form of a setting; `nil` after a mistake.
    private mutating func value(of node: DefinitionNode, _ setting: Setting) -> SettingValue? {
        switch setting.form {
        case .structure: return .structure(node)
        case .truth:
            guard case .bool(let truth) = node.content else {
                report("'\(setting.key)' must be true or false, not \(node.kind)", at: node.place)
                return nil
            }
            return .texts([.init(text: "\(truth)", place: node.place)])
        case .text: return text(of: node, setting).map { .texts([$0]) }
        case .texts:
            let nodes = node.elements ?? [node]
            let texts = nodes.compactMap { text(of: $0, setting) }
            return texts.count == nodes.count ? .texts(texts) : nil
        }
    }

    private mutating func text(of node: DefinitionNode, _ setting: Setting) -> SettingValue.Text? {
        switch node.content {
        case .string(let text), .number(let text): return .init(text: text, place: node.place)
        default:
            report("'\(setting.key)' must be text, not \(node.kind)", at: node.place)
            return nil
        }
    }

    private mutating func report(_ diagnostic: Diagnostic) {
        report(diagnostic.message, at: DefinitionPlace(line: diagnostic.line, column: diagnostic.column))
    }

    private mutating func report(_ message: String, at place: DefinitionPlace?) {
        mistakes.append(SettingMistake(message, at: .file(path, place ?? DefinitionPlace(line: 1, column: 1))))
    }
}

extension DefinitionNode {
    /// True for null, which a key without a value has, and for a map without members.
    fileprivate var isEmpty: Bool {
        if case .null = content { return true }
        return members?.isEmpty ?? false
    }

    /// The kind of the content, for messages.
    package var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "text"
        case .list: "a list"
        case .map: "a map"
        }
    }
}
