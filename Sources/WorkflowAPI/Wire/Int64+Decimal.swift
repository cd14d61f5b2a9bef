extension Int64 {
    /// Reads a number in its only written form, without a plus sign and leading zeros; `nil` for any other text.
    package init?(decimal text: some StringProtocol) {
        guard let number = Int64(text), String(number) == text else { return nil }
        self = number
    }
}
