package import Foundation

/// A page of the manual: the README, a file of `docs/`, or one of the library's catalog.
package struct ManualPage: Sendable, CustomStringConvertible {
    /// The path from the repository's root, with slashes.
    package let path: String
    package let lines: [String]
    /// The fenced blocks, in their order.
    package let blocks: [Block]

    /// The lines between two fences.
    package struct Block: Sendable, CustomStringConvertible {
        /// The path of the page.
        package let page: String
        /// The number of the block's first line; the page begins with line 1.
        package let line: Int
        /// The first word after the opening fence: `console`, `yaml`, `http`, …
        package let kind: String
        /// The second word: the name of the file that the block contains, or `fragment`.
        package let name: String?
        package let lines: [String]

        package var text: String { lines.map { $0 + "\n" }.joined() }
        package var description: String { "\(page):\(line)" }
    }

    /// A line of prose, a list item or a paragraph, and the number of its first line.
    package struct Paragraph: Sendable {
        package let line: Int
        package let text: String
    }

    /// The root of the repository.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README and every page directly in `docs/`. Decisions are records, not manual.
    package static let all: [ManualPage] = {
        // A folder that cannot be read has no pages; a test counts them.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        let paths = names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
        return (["README.md"] + paths).map(page)
    }()

    /// The articles and tutorials of the libraries, from which `make docs` makes pages.
    package static let catalog: [ManualPage] = ["StateMachines", "DurableMachines", "WorkflowClient"].flatMap {
        let folder = "Sources/\($0)/\($0).docc"
        // A folder that cannot be read has no pages here either.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        let pages = names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".tutorial") }
        return pages.sorted().map { page(folder + "/" + $0) }
    }

    /// True if the page is a tutorial of DocC, which has directives and indented prose.
    package var isTutorial: Bool { path.hasSuffix(".tutorial") }

    /// Returns the page at a path from the root; without lines if it cannot be read.
    package static func page(_ path: String) -> ManualPage {
        let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        return ManualPage(path: path, text: text ?? "")
    }

    package init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var blocks: [Block] = []
        var open: (line: Int, words: [Substring], lines: [String])?
        for (number, line) in zip(1..., lines) {
            if line.hasPrefix("```") {
                if let (first, words, lines) = open {
                    let name = words.dropFirst().first.map(String.init)
                    let kind = words.first.map(String.init) ?? ""
                    blocks.append(Block(page: path, line: first, kind: kind, name: name, lines: lines))
                    open = nil
                } else {
                    open = (number + 1, line.dropFirst(3).split(separator: " "), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        self.blocks = blocks
    }

    package var description: String { path }

    /// The lines outside of fenced blocks, with their numbers.
    package var prose: [(number: Int, line: String)] {
        var isInBlock = false
        return zip(1..., lines).filter { _, line in
            let isFence = line.hasPrefix("```")
            if isFence { isInBlock.toggle() }
            return !isFence && !isInBlock
        }.map { (number: $0, line: $1) }
    }

    /// The paragraphs and list items, without headings and tables.
    package var paragraphs: [Paragraph] {
        var paragraphs: [Paragraph] = []
        var isOpen = false
        var previous = 0
        for (number, line) in prose {
            let text = line.trimmingCharacters(in: .whitespaces)
            defer { previous = number }
            if text.isEmpty || "|#@}".contains(text.prefix(1)) {
                isOpen = false
                continue
            }
            let marker = text.prefixMatch(of: /(?:-|\d+\.)\s/)
            if let last = paragraphs.last, isOpen, number == previous + 1, marker == nil {
                paragraphs[paragraphs.count - 1] = Paragraph(line: last.line, text: last.text + " " + text)
            } else {
                let item = marker.map { String(text[$0.range.upperBound...]) } ?? text
                paragraphs.append(Paragraph(line: number, text: item))
            }
            isOpen = true
        }
        return paragraphs
    }

    /// The possible targets after `#` in a link, as GitHub derives them from the headings.
    package var anchors: Set<String> {
        Set(
            prose.map(\.line).filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.dropFirst().lowercased()
                    .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
            })
    }

    /// The targets of all links, with the numbers of their lines. A link may span two lines.
    package var links: [(number: Int, target: String)] {
        prose.flatMap { number, line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map {
                (number: number, target: String($0.1))
            }
        }
    }

    /// Returns the lines below a heading, up to the next heading of the same or a higher level.
    package func section(_ heading: String) -> [String] {
        let depth = heading.prefix { $0 == "#" }.count
        let rest = prose.map(\.line).drop { $0 != heading }.dropFirst()
        return Array(rest.prefix { !$0.hasPrefix("#") || $0.prefix { $0 == "#" }.count > depth })
    }
}
