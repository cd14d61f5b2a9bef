import Drawing

/// A file that all pages use.
package struct Asset: Sendable {
    /// The file's name, which changes with the content.
    package let name: String
    package let mediaType: String
    /// The content.
    package let bytes: [UInt8]

    var link: Link { Link("assets", name) }

    /// All files.
    package static let all = [stylesheet, module, icon]

    static let stylesheet = Asset(
        "console", "css", "text/css; charset=utf-8", PackageResources.console_css + Array(SVGStyle.sheet.utf8))

    /// The script of all pages, without its lines of comments and its indentation. No text in it has several lines.
    static let module: Asset = {
        let lines = PackageResources.console_mjs.split(separator: UInt8(ascii: "\n"))
            .map { line in line.drop { $0 == UInt8(ascii: " ") } }
            .filter { text in !["//", "/**", "* "].contains { text.starts(with: $0.utf8) } }
        return Asset(
            "console", "mjs", "text/javascript; charset=utf-8", Array(lines.joined(separator: "\n".utf8)) + [10])
    }()

    /// The icon of the window. Without one a browser asks for it outside of the console.
    static let icon = Asset(
        "icon", "svg", "image/svg+xml",
        Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
            <g fill="none" stroke="#3b7dd8" stroke-width="2">\
            <rect x="1" y="1" width="6" height="5" rx="1.5"/><rect x="9" y="10" width="6" height="5" rx="1.5"/>\
            <path d="M4 6v6.5h5"/></g></svg>
            """.utf8))

    private init(_ name: String, _ type: String, _ mediaType: String, _ bytes: [UInt8]) {
        self.name = "\(name)-\(ShortHash.text(of: bytes)).\(type)"
        (self.mediaType, self.bytes) = (mediaType, bytes)
    }
}
