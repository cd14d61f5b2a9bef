extension [String] {
    /// The first elements as a list, for a message.
    var listed: String {
        let longest = 8
        return prefix(longest).joined(separator: ", ") + (count > longest ? " and \(count - longest) more" : "")
    }
}
