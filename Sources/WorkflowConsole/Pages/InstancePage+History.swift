import WorkflowAPI
import WorkflowCEL
import WorkflowCalls

// The history: some rows around a seq, with ways to all others.

extension InstancePage {
    /// The most rows that a page shows.
    private static let shownRows: Int64 = 100
    /// The most answers that the rows of a page are read from.
    private static let rowAnswers = 8

    /// Returns the rows around a moment, or the newest ones, the newest first.
    ///
    /// - Parameter seq: The seq of the moment that is shown; `nil` for now.
    static func history(
        of name: String, newest: Int64, around seq: Int64?, _ request: PageRequest, _ client: WorkflowClient
    ) async -> Markup {
        await ConsolePages.part("History", id: "history") {
            let asked = try number("rows", in: request)
            let last = min(newest, asked ?? seq.map { max(shownRows, $0 &+ shownRows / 2) } ?? newest)
            let rows = try await rows(through: last, of: name, client)
            var table = DataTable(
                "Steps of the instance", "Seq", "At", "Kind", "Event", "Data and notes", "From", "To", "By")
            for row in rows {
                let link = asked.map { Link.rows(through: $0, of: name, seq: row.seq) }
                table.add {
                    Tag.a(.href(link ?? .instance(name, seq: row.seq)), .current(row.seq == seq)) { "\(row.seq)" }
                    Words.time(row.at)
                    row.kind + (row.retry == true ? ", retried" : "")
                    Tag.code { row.event }
                    (row.redacted == true ? Markup(text: "erased ") : Words.brief(row.data)) + Words.brief(row.note)
                    Words.states(row.from)
                    row.to == row.from ? Markup(text: "stays") : Words.states(row.to)
                    row.actor ?? "–"
                }
            }
            let shown = min(last, rows.last?.seq ?? last)...last
            let place = ["--from", "\(shown.lowerBound)", "--limit", "\(shown.count)"]
            return jumps(name) + table.markup + steps(name, seq, shown, newest)
                + ConsolePages.commandLine(command(["history", "--actors"] + place, name))
        }
    }

    /// Returns the rows that end with a seq, the newest first. An answer without room for all is asked for fewer.
    private static func rows(
        through last: Int64, of name: String, _ client: WorkflowClient
    ) async throws -> [HistoryItem] {
        var rows: [HistoryItem] = []
        var (upper, size) = (last, shownRows)
        for _ in 0..<rowAnswers where upper > max(0, last - shownRows) {
            let lower = max(1, last - shownRows + 1, upper - size + 1)
            let page = try await client.history(
                ofInstance: name, HistoryParameters(limit: Int(upper - lower + 1), after: lower - 1))
            guard let end = page.items.last?.seq else { break }
            if end < upper {
                size = Int64(page.items.count)
            } else {
                rows += page.items.reversed()
                upper = lower - 1
            }
        }
        return rows
    }

    /// Returns the ways to older and newer rows, and to all of them as a file.
    private static func steps(
        _ name: String, _ seq: Int64?, _ shown: ClosedRange<Int64>, _ newest: Int64
    ) -> Markup {
        func step(_ word: String, through row: Int64) -> Markup {
            Tag.a(.href(.rows(through: row, of: name, seq: seq))) { word } + Markup(text: " ")
        }
        return Tag.p(.class("next")) {
            if shown.upperBound < newest {
                step("Newest", through: newest)
                step("Newer", through: shown.upperBound + shownRows)
            }
            if shown.lowerBound > 1 {
                step("Older", through: shown.lowerBound - 1)
                step("Oldest", through: shownRows)
            }
            Tag.a(.href(.history(of: name))) { "Download all as JSON lines" }
        }
    }

    /// Returns the forms that lead to a seq or to a time.
    private static func jumps(_ name: String) -> Markup {
        Tag.div(.class("jumps")) {
            jump(name, "seq", "Seq", "17")
            jump(name, "at", "Time, UTC or with offset", "2026-11-28 05:30+02:00")
        }
    }

    private static func jump(_ name: String, _ field: StaticString, _ label: String, _ example: StaticString) -> Markup
    {
        Tag.form(.class("filter"), .method("get"), .action(.instance(name)), .label("Go to a \(field)")) {
            Tag.div {
                Tag.label(.for("to-\(field)")) { label }
                Tag.input(
                    .type("text"), .id("to-\(field)"), .name(field), .required, .autocomplete("off"),
                    .placeholder(example))
            }
            Tag.button(.type("submit")) { "Go" }
        }
    }
}

// MARK: The moment that is asked for

extension InstancePage {
    /// Returns the seq of the moment that a request asks for, by its seq or by a time; `nil` for now.
    static func askedSeq(
        in request: PageRequest, of now: Instance, _ client: WorkflowClient
    ) async throws -> Int64? {
        if let seq = try number("seq", in: request) { return seq }
        guard let text = request.values("at").first else { return nil }
        guard let time = time(text) else {
            throw ClientError.problem(
                Problem(
                    .invalidParameter,
                    detail: "Parameter 'at' must be a time in UTC, or with its offset: 2026-11-28, 2026-11-28 03:30, "
                        + "2026-11-28T05:30:00+02:00"))
        }
        return try await seq(at: time, of: now, client)
    }

    /// Returns a parameter that is a seq.
    private static func number(_ name: String, in request: PageRequest) throws -> Int64? {
        guard let text = request.values(name).first else { return nil }
        guard let seq = Int64(text), seq > 0 else {
            throw ClientError.problem(Problem(.invalidParameter, detail: "Parameter '\(name)' must be a seq: 1, 2, …"))
        }
        return seq
    }

    /// Reads a time as a page shows it, or the beginning of one; also with the offset of another zone (RFC 3339).
    private static func time(_ text: String) -> WireTime? {
        let form = /\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)? ?(UTC|Z|[+-]\d\d:\d\d)?\s*/
        guard let parts = text.wholeMatch(of: form) else { return nil }
        let zone = parts.4.map { $0 == "UTC" ? "Z" : $0 } ?? "Z"
        let whole = "\(parts.1)T\(parts.2 ?? "00:00")\(parts.3 ?? ":00")\(zone)"
        // The message of the page says the forms.
        guard let moment = try? Timestamp(text: whole) else { return nil }
        return WireTime(milliseconds: moment.seconds * 1_000 + Int64(moment.nanoseconds / 1_000_000))
    }

    /// Returns the last seq up to a time, the first if there is none. Asks for one row at each step of a binary search,
    /// since times rise with the seqs; after a correction of the clock it is one of the seqs around the time.
    private static func seq(at time: WireTime, of now: Instance, _ client: WorkflowClient) async throws -> Int64 {
        var (low, high) = (Int64(1), now.seq)
        while low < high {
            let middle = high - (high - low) / 2
            let page = try await client.history(
                ofInstance: now.instance, HistoryParameters(limit: 1, after: middle - 1))
            guard let row = page.items.first, row.at <= time else {
                high = middle - 1
                continue
            }
            low = middle
        }
        return low
    }
}
