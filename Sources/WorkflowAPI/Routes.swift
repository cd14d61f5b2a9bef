/// The paths of the API. Names are percent-encoded, so any string is safe to put in.
public enum Routes {
    /// Where definitions are applied and machines listed.
    public static let machines = "/v1/machines"
    /// Where instances are started and listed.
    public static let instances = "/v1/instances"
    /// Where events for many instances are sent to.
    public static let events = "/v1/events"
    /// Where all that the store holds is verified.
    public static let verify = "/v1/verify"
    /// What comes by itself, of all instances.
    public static let timers = "/v1/timers"
    /// The daemon's clock.
    public static let clock = "/v1/clock"
    /// Where backups are made.
    public static let backups = "/v1/backups"
    /// Whether the process answers.
    public static let live = "/livez"
    /// Whether the daemon takes requests.
    public static let ready = "/readyz"

    /// The latest version of a machine, or the named one.
    public static func machine(_ name: String, version: Int64? = nil) -> String {
        let path = machines + "/" + PercentEncoding.encode(name)
        return version.map { "\(path)/versions/\($0)" } ?? path
    }

    /// A backup to be fetched.
    public static func backup(_ name: String) -> String {
        backups + "/" + PercentEncoding.encode(name)
    }

    /// One instance.
    public static func instance(_ name: String) -> String {
        instances + "/" + PercentEncoding.encode(name)
    }

    /// Where events are sent to, and asked for.
    public static func events(ofInstance name: String) -> String {
        instance(name) + "/events"
    }

    /// What comes to an instance by itself.
    public static func timers(ofInstance name: String) -> String {
        instance(name) + "/timers"
    }

    /// Where a failed instance is told to go on.
    public static func retry(ofInstance name: String) -> String {
        instance(name) + "/retry"
    }

    /// Where an instance is replayed, as it was or with another definition.
    public static func replay(ofInstance name: String) -> String {
        instance(name) + "/replay"
    }

    /// Where an instance is verified.
    public static func verify(ofInstance name: String) -> String {
        instance(name) + "/verify"
    }

    /// Where the instances of a machine are replayed with another definition.
    public static func replay(ofMachine name: String) -> String {
        machine(name) + "/replay"
    }

    /// The macrosteps of an instance.
    public static func history(ofInstance name: String) -> String {
        instance(name) + "/history"
    }
}

/// Percent-encoding of path segments and query values (RFC 3986, section 2).
package enum PercentEncoding {
    /// Keeps unreserved characters, encodes every other byte.
    ///
    /// A segment that is only dots would be taken as a step in the path, so its dots are encoded too.
    package static func encode(_ text: String) -> String {
        let isDots = text == "." || text == ".."
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                bytes.append(contentsOf: (byte < 16 ? "%0" : "%").utf8)
                bytes.append(contentsOf: digits.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
