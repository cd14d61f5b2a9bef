extension String {
    /// As wide as a column, with spaces in front.
    package func padded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// As wide as a column, with spaces behind.
    package func filled(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
