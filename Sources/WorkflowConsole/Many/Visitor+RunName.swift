import WorkflowAPI

extension Visitor {
    /// Returns a name that no other run has: `retry-20261128-0231-ab12`, with the time in UTC.
    func newRunName(_ verb: BulkAction.Verb) -> String {
        let digits = newKey().filter { $0 != "-" }
        // The first 12 digits of such a key are milliseconds since 1970 (RFC 9562, section 5.7).
        let time = WireTime(milliseconds: Int64(digits.prefix(12), radix: 16) ?? 0).text.filter(\.isNumber)
        return "\(verb.rawValue)-\(time.prefix(8))-\(time.dropFirst(8).prefix(4))-\(digits.suffix(4))"
    }
}
