package import Foundation

/// A page of the manual: the README, a file of `docs/`, or one of the library's catalog.
package struct ManualPage: Sendable, CustomStringConvertible {
    /// From the repository's root, with slashes.
    package let path: String
    package let lines: [String]
    /// The fenced blocks, in their order.
    package let blocks: [Block]

    /// Lines between two fences.
    package struct Block: Sendable, CustomStringConvertible {
        /// The path of the page.
        package let page: String
        /// The number of its first line; that of the page is 1.
        package let line: Int
        /// The first word behind the opening fence: `console`, `yaml`, `http`, …
        package let kind: String
        /// The second word: the name of the file that the block is, or `fragment`.
        package let name: String?
        package let lines: [String]

        package var text: String { lines.map { $0 + "\n" }.joined() }
        package var description: String { "\(page):\(line)" }
    }

    /// A line of prose, a list item or a paragraph, and where it begins.
    package struct Paragraph: Sendable {
        package let line: Int
        package let text: String
    }

    /// The root of the repository.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README and every page directly in `docs/`; decisions are records, not manual.
    package static let all: [ManualPage] = {
        // A folder that cannot be read has no pages; a test counts them.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        let paths = names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
        return (["README.md"] + paths).map(page)
    }()

    /// The articles and tutorials of the library, which DocC makes pages of: `make docs`.
    package static let catalog: [ManualPage] = {
        let folder = "Sources/StateMachines/StateMachines.docc"
        // As above.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        let pages = names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".tutorial") }
        return pages.sorted().map { page(folder + "/" + $0) }
    }()

    /// Whether it is a tutorial of DocC: directives, and prose that is indented.
    package var isTutorial: Bool { path.hasSuffix(".tutorial") }

    /// The page at a path from the root; without lines when it cannot be read.
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

    /// Paragraphs and list items, without headings and tables.
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

    /// What a link may have behind `#`, as GitHub makes it of the headings.
    package var anchors: Set<String> {
        Set(
            prose.map(\.line).filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.dropFirst().lowercased()
                    .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
            })
    }

    /// The targets of all links, with the numbers of their lines. A link may go over the end of a line.
    package var links: [(number: Int, target: String)] {
        prose.flatMap { number, line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map {
                (number: number, target: String($0.1))
            }
        }
    }

    /// The lines below a heading, up to the next one of its depth or above.
    package func section(_ heading: String) -> [String] {
        let depth = heading.prefix { $0 == "#" }.count
        let rest = prose.map(\.line).drop { $0 != heading }.dropFirst()
        return Array(rest.prefix { !$0.hasPrefix("#") || $0.prefix { $0 == "#" }.count > depth })
    }
}
