/// The grammar of the names of instances.
public enum InstanceNameRule {
    /// Returns true if a caller may choose the name: 1–200 characters of `[A-Za-z0-9_.:@-]`, but not `.` or `..`.
    public static func isValid(_ name: String) -> Bool {
        isAddressable(name) && !isStep(name) && !name.utf8.contains(UInt8(ascii: "~"))
    }

    /// Returns the reason why a caller may not choose the name; `nil` if it may.
    public static func message(for name: String) -> String? {
        guard !isValid(name) else { return nil }
        let rule =
            isStep(name)
            ? "in the path of a URL, '.' and '..' are steps"
            : "1 to \(APILimits.instanceNameLength) characters of A-Z a-z 0-9 _ . : @ -"
        let cut = String(name.unicodeScalars.prefix(40))
        return "'\(cut)\(cut.utf8.count == name.utf8.count ? "" : "…")' is no instance name: \(rule)"
    }

    /// Returns true if a URL treats the name as a step in its path. Clients remove such a segment, even if it is
    /// encoded (RFC 3986, 5.2.4; https://url.spec.whatwg.org/#double-dot-path-segment).
    public static func isStep(_ name: String) -> Bool { name == "." || name == ".." }

    /// Returns true if an instance can have the name: a caller's choice, or the name of a child, which may contain `~`.
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
