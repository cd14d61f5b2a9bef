import DaemonTesting

/// A form of a page, as a browser reads it and sends it.
struct ConsoleForm {
    let method: String
    let action: String
    /// The names and values in the order of the page; a box that is not ticked is left out.
    private(set) var fields: [(name: String, value: String)] = []
    /// True if the button that sends the form is disabled.
    let isDisabled: Bool
    private let names: Set<String>

    /// Finds the form of a page that leads to an address.
    ///
    /// - Parameter label: The text of its button; `nil` for any.
    init(in page: RawAnswer, to action: String, label: String? = nil) throws {
        let forms = page.text.matches(of: /<form ([^>]*)>(.*?)<\/form>/.dotMatchesNewlines())
        let found = forms.first { form in
            Self.value(of: "action", in: form.1) == action
                && (label.map { form.2.contains(">\($0)</button>") } ?? true)
        }
        guard let found else { throw TestingError("no form to \(action): \(page.status) \(page.text)") }
        self.action = action
        method = Self.value(of: "method", in: found.1) ?? "get"
        isDisabled = found.2.firstMatch(of: /<button [^>]*type="submit"[^>]* disabled>/) != nil
        var names: Set<String> = []
        let controls = /<input ([^>]*)>|<textarea ([^>]*)>\n?(.*?)<\/textarea>|<select ([^>]*)>(.*?)<\/select>/
        for control in found.2.matches(of: controls.dotMatchesNewlines()) {
            let attributes = control.1 ?? control.2 ?? control.4 ?? ""
            let name = Self.value(of: "name", in: attributes) ?? ""
            names.insert(name)
            if let content = control.3 {
                fields.append((name, Self.unescaped(content)))
            } else if let options = control.5 {
                let all = options.matches(of: /<option ([^>]*)>/).map { $0.1 }
                let chosen = all.first { $0.hasSuffix(" selected") } ?? all.first ?? ""
                fields.append((name, Self.value(of: "value", in: chosen) ?? ""))
            } else if Self.value(of: "type", in: attributes) != "checkbox" || attributes.contains(" checked") {
                fields.append((name, Self.value(of: "value", in: attributes) ?? ""))
            }
        }
        self.names = names
    }

    /// The value of a field. Only a field that is there can be set.
    subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            precondition(names.contains(name), "the form has no field '\(name)'")
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// Types values into fields.
    func typing(_ values: [String: String]) -> ConsoleForm {
        var form = self
        for (name, value) in values { form[name] = value }
        return form
    }

    /// The fields as a body.
    var body: String {
        fields.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// Presses the button, or another one that has a name.
    func press(_ button: String? = nil, on host: ConsoleHost, _ cookie: String?) async throws -> RawAnswer {
        if method == "get" { return try await host.get("\(action)?\(body)", cookie) }
        return try await host.post(action, button.map { "\(body)&\($0)=yes" } ?? body, cookie)
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func value(of name: String, in attributes: Substring) -> String? {
        let parts = (" " + attributes).components(separatedBy: " \(name)=\"")
        return parts.count > 1 ? unescaped(parts[1].prefix { $0 != "\"" }) : nil
    }

    /// Works on bytes: an accent behind a reference is one character with its `;`.
    private static func unescaped(_ text: Substring) -> String {
        let references = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#13;", "\r"), ("&amp;", "&"),
        ]
        let bytes = references.reduce(Array(text.utf8)) { $0.replacing(Array($1.0.utf8), with: Array($1.1.utf8)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let place = rest.firstRange(of: separator) {
            parts.append(rest[..<place.lowerBound])
            rest = rest[place.upperBound...]
        }
        return parts + [rest]
    }
}
