import WorkflowAPI
import WorkflowJSON
import WorkflowTerminal

/// The small pieces that pages are made of: times, spans, statuses, JSON, links to more.
enum Words {
    /// The most characters of JSON that a page shows.
    static let longestJSON = 64 << 10

    static func time(_ time: WireTime) -> Markup {
        let text = time.text
        return Tag.time(.datetime(text)) { "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC" }
    }

    static func time(_ given: WireTime?) -> Markup { given.map { time($0) } ?? Markup(text: "–") }

    /// Returns a span until a moment: `in 3m`, `4h late`.
    static func until(_ milliseconds: Int64) -> String {
        milliseconds >= 0 ? "in \(span(milliseconds))" : "\(span(-max(milliseconds, -.max))) late"
    }

    /// Returns a span until a moment, which the module counts down.
    static func countdown(_ milliseconds: Int64) -> Markup {
        Tag.span(.due(milliseconds)) { until(milliseconds) }
    }

    /// Returns since when, by whom and why something is suspended.
    static func suspension(_ at: WireTime, _ actor: String?, _ reason: String?) -> Markup {
        Markup(text: "since ") + time(at)
            + Markup(text: (actor.map { " by \($0)" } ?? "") + (reason.map { ": \($0)" } ?? ""))
    }

    static func span(_ milliseconds: Int64) -> String { RoughDuration.text(milliseconds: milliseconds) }

    static func count(_ number: Int64, _ what: String) -> String {
        "\(CountText.grouped(number)) \(what)\(number == 1 ? "" : "s")"
    }

    /// Returns a number in at most four characters: `9999`, `10k`, `1.2M`.
    static func short(_ number: Int64) -> String {
        var rest = Double(number)
        guard number >= 10_000 else { return "\(number)" }
        for unit in ["k", "M", "G"] {
            rest /= 1_000
            // Rounded down, so that a number is never more than there are.
            if rest < 10 { return "\((rest * 10).rounded(.down) / 10)\(unit)" }
            if rest < 1_000 { return "\(Int(rest))\(unit)" }
        }
        return "999G"
    }

    /// Returns a count that ends at a bound.
    static func bounded(_ number: Int64) -> String {
        number >= APILimits.countedEffects
            ? "\(CountText.grouped(Int64(APILimits.countedEffects)))+" : CountText.grouped(number)
    }

    /// Returns a status as a word in its colour.
    static func status(_ status: Instance.Status) -> Markup {
        switch status {
        case .running: Tag.span(.class("pill running")) { status.rawValue }
        case .failed: Tag.span(.class("pill failed")) { status.rawValue }
        case .suspended: Tag.span(.class("pill suspended")) { status.rawValue }
        case .done, .cancelled: Tag.span(.class("pill ended")) { status.rawValue }
        }
    }

    static func states(_ paths: [String]) -> Markup {
        var all = Markup()
        for (place, path) in paths.enumerated() {
            all = all + Markup(text: place == 0 ? "" : ", ") + Tag.code { path.isEmpty ? "(root)" : path }
        }
        return all
    }

    /// Returns JSON as text with a line for each field; of a long one the beginning.
    static func json(_ value: some JSONWritable) -> Markup {
        let text = IndentedJSON.text(of: value)
        let isCut = text.utf8.count > longestJSON
        let shown = isCut ? String(decoding: text.utf8.prefix(longestJSON), as: UTF8.self) : text
        return Tag.pre { shown } + (isCut ? cut : Markup())
    }

    /// The sentence below JSON that was cut.
    static let cut = Tag.p(.class("note")) { "The rest is left out here: '-o json' has it all." }

    /// Returns JSON in one line of a table, cut.
    static func brief(_ value: JSONValue?) -> Markup {
        guard let value else { return Markup() }
        return Tag.code { shortened(JSONWriter.string(value)) }
    }

    /// Returns a message as a sentence: with a full stop, unless it asks.
    static func sentence(_ message: String) -> String { message.hasSuffix("?") ? message : message + "." }

    /// Returns the beginning of a text, with a mark if that is not all.
    static func shortened(_ text: String) -> String {
        let beginning = String(text.unicodeScalars.prefix(120))
        return beginning.utf8.count < text.utf8.count ? beginning + "…" : beginning
    }

    /// Returns an error object as words: its type and its message.
    static func error(_ error: JSONValue?) -> String {
        let parts = ["type", "message"].compactMap { error?.object?[$0]?.string }
        return String(parts.joined(separator: ": ").unicodeScalars.prefix(400))
    }

    static func emptyPage(@MarkupBuilder _ text: () -> Markup) -> Markup { Tag.p(.class("empty")) { text() } }

    /// Returns the link to the next page of a list.
    static func next(_ token: String?, _ words: StaticString, _ name: String? = nil, _ request: PageRequest) -> Markup {
        guard let token else { return Markup() }
        let query = request.query(without: "page").map { ($0.name, String?.some($0.value)) } + [("page", token)]
        return Tag.p(.class("next")) {
            Tag.a(.href(Link(words, name, query.map { (name: $0.0, value: $0.1) }))) { "Next page" }
        }
    }

    /// Returns names and what they stand for.
    static func facts(_ facts: [(String, Markup?)]) -> Markup {
        Tag.dl {
            for (name, value) in facts {
                if let value {
                    Tag.div {
                        Tag.dt { name }
                        Tag.dd { value }
                    }
                }
            }
        }
    }
}
