/// One measurement.
package struct Sample: Sendable {
    /// The value in the figure's unit.
    package let value: Double
    /// Further observations, such as percentiles, which are shown beside the line.
    package let note: String?

    /// Creates a sample from a value in the figure's unit.
    package init(value: Double, note: String? = nil) {
        self.value = value
        self.note = note
    }

    /// Creates a sample of events a second. The note has the duration of one event, and the process's computing time
    /// for it.
    package init(events: Int, _ work: Stopwatch) {
        let (seconds, computing) = work.elapsed()
        let each = [seconds, computing].map { ($0 / Double(events) * 1e6).text(2) }
        self.init(value: Double(events) / seconds, note: "\(each[0]) µs each, \(each[1]) of CPU")
    }

    /// Returns the same sample with an addition to its note.
    func noting(_ more: String) -> Sample { Sample(value: value, note: note.map { $0 + ", " + more } ?? more) }
}
