import WorkflowJSON

/// The context after a macrostep, with what the macrostep changed. Each change has a sign and a word beside its colour.
struct ContextChanges {
    /// The kind of a change.
    enum Change: String {
        case added, removed, changed

        fileprivate var sign: String {
            switch self {
            case .added: "+"
            case .removed: "−"
            case .changed: "~"
            }
        }

        fileprivate func line(_ text: String) -> Markup {
            switch self {
            case .added: Tag.span(.class("added")) { "+ \(text)" }
            case .removed: Tag.span(.class("removed")) { "− \(text)" }
            case .changed: Tag.span(.class("changed")) { "~ \(text)" }
            }
        }
    }

    /// A value that differs.
    struct Difference {
        /// The place as expressions name it: `context.items[2].price`.
        let path: String
        let change: Change
        let before: JSONValue?
        let after: JSONValue?
    }

    /// The most differences that are listed.
    private static let shownDifferences = 50

    /// The values that differ; of a value that was added or removed, only the value itself.
    private(set) var differences: [Difference] = []
    private var lines = Markup()
    private var bytes = 0

    /// True for a step that has not been taken.
    private let isRehearsed: Bool

    init(from before: JSONObject, to after: JSONObject, isRehearsed: Bool = false) {
        self.isRehearsed = isRehearsed
        compare(.object(before), .object(after), at: "context", label: "", depth: 0, end: "")
    }

    /// The differences as a table, and the whole context with signs.
    var markup: Markup {
        guard !differences.isEmpty else {
            let nothing = isRehearsed ? "This step would change nothing in it." : "This step changed nothing in it."
            return Tag.p(.class("note")) { nothing } + marked
        }
        var table = DataTable(
            isRehearsed ? "What this step would change" : "What this step changed", "Place", "Change", "Before", "After"
        )
        for difference in differences.prefix(Self.shownDifferences) {
            table.add {
                Tag.code { Words.shortened(difference.path) }
                difference.change.rawValue
                Words.brief(difference.before)
                Words.brief(difference.after)
            }
        }
        let rest = differences.count - Self.shownDifferences
        return table.markup + (rest > 0 ? Tag.p { "and \(rest) more" } : Markup())
            + Tag.p(.class("note")) { "+ added, − removed, ~ changed" } + marked
    }

    private var marked: Markup {
        Tag.pre(.class("changes")) { lines } + (bytes > Words.longestJSON ? Words.cut : Markup())
    }

    // MARK: Comparing

    private mutating func compare(
        _ before: JSONValue?, _ after: JSONValue?, at path: String, label: String, depth: Int, end: String
    ) {
        switch (before, after) {
        case (nil, nil): break
        case (let before?, let after?) where before == after: add(after, nil, label, depth, end)
        case (.object(let before)?, .object(let after)?):
            var all = before
            for member in after.members { all[member.key] = member.value }
            add("\(label){", depth)
            for (place, key) in all.keys.enumerated() {
                compare(
                    before[key], after[key], at: path + Self.step(key),
                    label: "\(JSONWriter.string(JSONValue.string(key))): ", depth: depth + 1,
                    end: place == all.count - 1 ? "" : ",")
            }
            add("}\(end)", depth)
        case (.array(let before)?, .array(let after)?):
            add("\(label)[", depth)
            let count = max(before.count, after.count)
            for place in 0..<count {
                compare(
                    place < before.count ? before[place] : nil, place < after.count ? after[place] : nil,
                    at: "\(path)[\(place)]", label: "", depth: depth + 1, end: place == count - 1 ? "" : ",")
            }
            add("]\(end)", depth)
        case (let before, let after):
            let change: Change = before == nil ? .added : after == nil ? .removed : .changed
            differences.append(Difference(path: path, change: change, before: before, after: after))
            if let value = after ?? before { add(value, change, label, depth, end) }
        }
    }

    /// Returns the step from an object to a member, as an expression has it.
    private static func step(_ key: String) -> String {
        key.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil
            ? "[\(JSONWriter.string(JSONValue.string(key)))]" : ".\(key)"
    }

    private mutating func add(_ value: JSONValue, _ change: Change?, _ label: String, _ depth: Int, _ end: String) {
        for line in "\(label)\(IndentedJSON.text(of: value, depth: 0))\(end)".split(separator: "\n") {
            add(String(line), depth, change)
        }
    }

    private mutating func add(_ line: String, _ depth: Int, _ change: Change? = nil) {
        guard bytes <= Words.longestJSON else { return }
        let whole = String(repeating: "  ", count: depth) + line
        let room = Words.longestJSON - bytes
        bytes += whole.utf8.count
        let text = whole.utf8.count > room ? String(decoding: whole.utf8.prefix(room), as: UTF8.self) + "…" : whole
        lines += (change?.line(text) ?? Markup(text: "  \(text)")) + Markup(text: "\n")
    }
}
