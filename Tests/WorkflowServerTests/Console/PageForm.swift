import DaemonTesting
import Foundation

/// A form of a page, which a test fills in and sends as a browser would.
struct PageForm {
    let action: String
    private(set) var fields: [(name: String, value: String)] = []
    /// The labels of the buttons that can be pressed.
    private(set) var buttons: [String] = []
    /// The labels of the buttons that are disabled.
    private(set) var disabled: [String] = []

    /// Reads the form whose address begins with a text. Boxes are not ticked.
    init(_ action: String, in page: RawAnswer) throws {
        guard let start = page.text.firstRange(of: "action=\"\(action)"),
            let end = page.text[start.upperBound...].firstRange(of: "</form>")
        else { throw TestingError("no form '\(action)': \(page.status) \(page.text)") }
        let form = page.text[start.lowerBound..<end.lowerBound]
        self.action = String(form.dropFirst(8).prefix { $0 != "\"" })
        for input in form.matches(of: /<input ([^>]*)>/) {
            let (type, name) = (Self.attribute("type", input.1), Self.attribute("name", input.1))
            guard let name, type != "checkbox" || input.1.hasSuffix(" checked") else { continue }
            fields.append((name, Self.attribute("value", input.1) ?? ""))
        }
        for area in form.matches(of: /<textarea ([^>]*)>\n?([^<]*)<\/textarea>/) {
            guard let name = Self.attribute("name", area.1) else { continue }
            fields.append((name, Self.plain(area.2)))
        }
        for button in form.matches(of: /<button ([^>]*)>([^<]*)</) {
            if button.1.hasSuffix(" disabled") {
                disabled.append(Self.plain(button.2))
            } else {
                buttons.append(Self.plain(button.2))
            }
        }
    }

    /// The value of a field; `nil` for none.
    subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// Ticks boxes of one name.
    mutating func tick(_ name: String, _ values: [String]) { fields += values.map { (name, $0) } }

    /// Sends the form.
    func send(to host: ConsoleHost, _ cookie: String) async throws -> RawAnswer {
        let body = fields.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        return try await host.post(action, body, cookie)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func attribute(_ name: String, _ tag: Substring) -> String? {
        guard let start = (" " + tag).firstRange(of: " \(name)=\"") else { return nil }
        return plain((" " + tag)[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func plain(_ text: some StringProtocol) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#13;", "\r"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
