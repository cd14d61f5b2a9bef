import WorkflowEngine

/// Writes the text format of Prometheus, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    typealias Labels = [(name: String, value: String)]

    private(set) var text = ""

    /// Begins a metric, whose samples follow.
    ///
    /// - Parameter type: `counter`, `gauge` or `histogram`.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ value: some Numeric, _ labels: Labels = []) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Writes a metric that has one sample.
    mutating func one(_ name: String, _ type: String, _ help: String, _ value: some Numeric) {
        begin(name, type, help)
        sample(name, value)
    }

    mutating func sample(_ name: String, _ histogram: Histogram, _ labels: Labels = []) {
        var count = 0
        for (bound, inRange) in zip(histogram.bounds, histogram.counts) {
            count += inRange
            sample("\(name)_bucket", count, labels + [("le", "\(bound)")])
        }
        count += histogram.counts[histogram.bounds.count]
        sample("\(name)_bucket", count, labels + [("le", "+Inf")])
        sample("\(name)_sum", histogram.sum, labels)
        sample("\(name)_count", count, labels)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
