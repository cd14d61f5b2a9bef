extension Int64 {
    /// Reads a number in the one way in which it is written: no plus, no zero in front. Nil for anything else.
    package init?(decimal text: some StringProtocol) {
        guard let number = Int64(text), String(number) == text else { return nil }
        self = number
    }
}
