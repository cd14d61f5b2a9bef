/// The grammar of the names of instances.
public enum InstanceName {
    /// Whether a caller may give an instance this name: 1–200 characters of `[A-Za-z0-9_.:@-]`.
    public static func isValid(_ name: String) -> Bool {
        isAddressable(name) && !name.utf8.contains(UInt8(ascii: "~"))
    }

    /// Whether an instance can have this name: a valid one, or a child's, which may hold `~` too.
    public static func isAddressable(_ name: String) -> Bool {
        (1...APILimits.instanceNameLength).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "@"), UInt8(ascii: "-"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
