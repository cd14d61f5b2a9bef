/// One measurement.
package struct Sample: Sendable {
    /// In the figure's unit.
    package let value: Double
    /// What else was seen, such as percentiles; shown beside the line.
    package let note: String?

    /// A value in the figure's unit.
    package init(value: Double, note: String? = nil) {
        self.value = value
        self.note = note
    }

    /// Events a second; the note tells how long one takes, and for how long the process computed for it.
    package init(events: Int, _ work: Stopwatch) {
        let (seconds, computing) = work.elapsed()
        let each = [seconds, computing].map { ($0 / Double(events) * 1e6).text(2) }
        self.init(value: Double(events) / seconds, note: "\(each[0]) µs each, \(each[1]) of CPU")
    }

    /// The same with more in its note.
    func noting(_ more: String) -> Sample { Sample(value: value, note: note.map { $0 + ", " + more } ?? more) }
}
