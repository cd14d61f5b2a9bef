/// Texts about all settings, made from the table.
package enum SettingPage {
    /// A file with every setting in a comment.
    package static var example: String {
        """
        # The settings of wfd. 'wfd config check FILE' checks a file; docs/configuration.md describes it.
        # A setting with (reload) is taken by 'systemctl reload wfd'; the others wait for a restart.

        """ + Setting.all.map(entry).joined()
    }

    /// The part of the page on configuration that the table makes, in lines of a page's width.
    package static var reference: [String] {
        ["| key | value | default | reload |", "| --- | --- | --- | --- |"]
            + Setting.all.map { setting in
                let standard = setting.standard.map { "`\($0)`" } ?? "none"
                return "| `\(setting.key)` | \(word(setting)) | \(standard) | \(setting.isReloadable ? "yes" : "no") |"
            } + [""] + Setting.all.flatMap { wrapped("- `\($0.key)`: \($0.help)") }
    }

    /// Returns the lines of an item of a list.
    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 120 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(lines.isEmpty ? String(word) : "  " + word)
            }
        }
        return lines
    }

    private static func entry(_ setting: Setting) -> String {
        let mark = setting.isReloadable ? " (reload)" : ""
        let parts = setting.key.split(separator: ".")
        let outer = parts.dropLast().enumerated().map { "#" + String(repeating: "  ", count: $0) + "\($1):\n" }
        let indent = String(repeating: "  ", count: parts.count - 1)
        return "\n# \(setting.help)\(mark)\n\(outer.joined())#\(indent)\(parts.last ?? ""): \(setting.example)\n"
    }

    private static func word(_ setting: Setting) -> String {
        switch setting.form {
        case .truth: "true or false"
        case .text(let word): word.replacing("|", with: "\\|")
        case .texts(let word): "list of \(word)"
        case .structure: "structure"
        }
    }
}
