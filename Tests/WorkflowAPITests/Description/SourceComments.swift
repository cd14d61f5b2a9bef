import Foundation
import ManualTesting
import WorkflowAPI
import WorkflowJSON

/// The doc comments of the wire's types and of the table of routes, read from the source.
struct SourceComments {
    private var types: [String: String] = [:]
    /// The comments of properties and cases, by the type's name, a dot and theirs.
    private var members: [String: String] = [:]
    /// The properties whose fields have another name, by the type's name, a dot and the field's.
    private var properties: [String: String] = [:]

    /// Creates comments of nothing.
    init() {}

    /// Reads the comments of all files below a folder of the repository.
    init(folders: [String]) throws {
        for folder in folders {
            let url = ManualPage.root.appending(path: folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) where path.hasSuffix(".swift") {
                read(try String(contentsOf: url.appending(path: path), encoding: .utf8))
            }
        }
    }

    /// Returns the name of a type without its module: `Instance.Failure`, or `Page.Of.Instance` for a page.
    func name(of type: Any.Type) -> String {
        let text = String(reflecting: type).replacing(/Workflow(API|Rules)\./, with: "").replacing("<", with: ".Of.")
        return text.replacing(">", with: "")
    }

    /// Returns the comment of a type, and for words the comments of its cases.
    func text(of type: Any.Type) -> String? {
        let name = nameWithoutParameters(of: type)
        let parts = [types[name], (type as? any WireWord.Type).flatMap { cases(of: $0, named: name) }]
        let text = parts.compactMap { $0 }.joined(separator: "\n\n")
        return text.isEmpty ? nil : text
    }

    /// Returns the comment of the property or case that a field has.
    func text(of type: Any.Type, field: String) -> String? {
        text(of: nameWithoutParameters(of: type), field: field)
    }

    /// Returns the comment of the property that a field has, in a type with a name.
    func text(of type: String, field: String) -> String? {
        members["\(type).\(field)"] ?? properties["\(type).\(field)"].flatMap { members["\(type).\($0)"] }
    }

    /// Returns the name of the type whose comment names a request as its query.
    func query(of route: Route) -> String? {
        let path = route.template.description.replacing(/{\w+}/, with: "[A-Z]+")
        guard let request = try? Regex("The query of [^.]*`\(route.method.rawValue) \(path)`") else { return nil }
        return types.filter { $0.value.contains(request) }.keys.min()
    }

    /// Returns a schema with the comment of a field in front of its own description.
    func describe(_ schema: JSONObject, field: String, of type: Any.Type) -> JSONObject {
        guard let text = text(of: type, field: field) else { return schema }
        var schema = schema
        schema["description"] = .string([text, schema["description"]?.string].compactMap { $0 }.joined(separator: " "))
        return schema
    }

    private func nameWithoutParameters(of type: Any.Type) -> String {
        name(of: type).replacing(/\.Of\..*/, with: "")
    }

    private func cases<Word: WireWord>(of type: Word.Type, named name: String) -> String? {
        let texts = type.allCases.map { (word: $0.rawValue, text: members["\(name).\($0)"]) }
        guard texts.contains(where: { $0.text != nil }) else { return nil }
        return texts.map { "- `\($0.word)`" + ($0.text.map { ": " + $0 } ?? "") }.joined(separator: "\n")
    }

    /// Reads a file, whose declarations are indented as `swift format` does it.
    private mutating func read(_ file: String) {
        var scopes: [(indent: Int, name: String)] = []
        var comment: [String] = []
        for line in file.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent)
            if code.hasPrefix("///") {
                comment.append(code.dropFirst(3).trimmingCharacters(in: .whitespaces))
                continue
            }
            let text = Self.text(of: comment)
            comment = []
            while let last = scopes.last, indent <= last.indent, !code.hasPrefix("{") { scopes.removeLast() }
            let scope = scopes.last.map { $0.name + "." } ?? ""
            if let type = code.prefixMatch(of: /(?:public |package |private )*(struct|enum|class|extension) ([\w.]+)/) {
                scopes.append((indent, scope + type.2))
                if type.1 != "extension" { types[scope + type.2] = text }
            } else if let member = code.prefixMatch(of: /(?:public )?(?:static )?(?:let|var|case) `?(\w+)/) {
                if let text { members[scope + member.1] = text }
            } else if let field = code.firstMatch(of: /(\w+) = try fields\.\w+\("(\w+)"/) {
                properties[scope + field.2] = scope.isEmpty ? nil : String(field.1)
            }
        }
    }

    /// Returns a comment for readers of JSON, who see an absent field where a property is `nil`.
    private static func text(of comment: [String]) -> String? {
        let lines = comment.prefix { !$0.hasPrefix("- ") }
        let text = lines.split(separator: "").map { $0.joined(separator: " ") }.joined(separator: "\n\n")
            .replacing("``", with: "`").replacing(" on the wire", with: "")
            .replacing(". `nil`", with: ". Absent").replacing("`nil`", with: "absent")
        return text.isEmpty ? nil : text
    }
}
