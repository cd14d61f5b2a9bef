extension String {
    /// Returns the text with spaces before it, as wide as a column.
    package func padded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// Returns the text with spaces after it, as wide as a column.
    package func filled(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
