import WorkflowTerminal

/// The source of a machine version with numbered lines, and what differs between two of them.
enum SourceText {
    /// The most lines that have a number and an anchor.
    static let numberedLines = 5_000

    /// Returns the source; each line has the anchor `L` with its number, to which failures lead.
    static func numbered(_ source: String) -> Markup {
        let lines = LineDifference.lines(of: source)
        let shown = lines.prefix(numberedLines)
        let left = lines.count - shown.count
        return Tag.pre(.class("lines"), .role, .focusable, .label("Source")) {
            for (place, line) in shown.enumerated() {
                Tag.span(.id("L\(place + 1)"), .class("line")) {
                    Tag.a(.line(place + 1)) { "\(place + 1)" }
                    " \(line)\n"
                }
            }
        }
            + (left > 0 ? Tag.p(.class("note")) { "\(left) more lines are left out here." } : Markup())
    }

    /// Returns what differs between two versions, line by line.
    static func difference(_ machine: String, _ old: (version: Int64, source: String), _ new: (Int64, source: String))
        -> Markup
    {
        let words = [old.version, new.0].map { version in
            "<("
                + ["wfctl", "machine", "source", machine, "--version", "\(version)"].map(ShellText.quoted)
                .joined(separator: " ") + ")"
        }
        let command = Tag.p(.class("command")) { Tag.code { "diff -u \(words.joined(separator: " "))" } }
        guard let difference = LineDifference(from: old.source, to: new.source) else {
            return Tag.p {
                "The versions differ in parts with more than \(LineDifference.mostLines) lines, which are not compared "
                    + "here."
            } + command
        }
        guard !difference.groups.isEmpty else { return Tag.p { "Their sources are the same." } + command }
        let counts =
            "\(Words.count(Int64(difference.added), "line")) added, "
            + "\(difference.removed) removed from version \(old.version) to version \(new.0)"
        return Tag.p { counts + "." }
            + Tag.pre(.class("lines"), .role, .focusable, .label("Difference")) {
                for (place, group) in difference.groups.enumerated() {
                    if place > 0 { Tag.span(.class("line note")) { "…\n" } }
                    for line in group { self.line(line) }
                }
            } + command
    }

    private static func line(_ line: LineDifference.Line) -> Markup {
        let numbers = [line.old, line.new].map { number in
            let text = number.map { String($0) } ?? ""
            return String(repeating: " ", count: max(0, 4 - text.utf8.count)) + text
        }.joined(separator: " ")
        return switch (line.old, line.new) {
        case (nil, _): Tag.span(.class("line added")) { "\(numbers) + \(line.text)\n" }
        case (_, nil): Tag.span(.class("line removed")) { "\(numbers) - \(line.text)\n" }
        default: Tag.span(.class("line")) { "\(numbers)   \(line.text)\n" }
        }
    }
}
