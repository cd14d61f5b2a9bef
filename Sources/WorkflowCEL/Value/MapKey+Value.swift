extension MapKey {
    /// The key as a value.
    var value: Value {
        switch self {
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .uint(let uint): .uint(uint)
        case .string(let string): .string(string)
        }
    }

    /// The key for messages; strings without quotes.
    var text: String {
        switch self {
        case .bool(let bool): String(bool)
        case .int(let int): String(int)
        case .uint(let uint): String(uint)
        case .string(let string): string
        }
    }
}
