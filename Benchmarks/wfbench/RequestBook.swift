import EngineFloor
import Foundation

/// Requests whose bytes were made before the clock starts, taken in a random order.
struct RequestBook {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// The offset of the key in each request; empty for requests without keys.
    private var keys: [Int] = []
    private var random = Generator(seed: 42)
    private var uuid = UUIDv7Text()

    /// Creates an empty book.
    init() {}

    /// Creates a book with the event `flip` for each of a number of instances.
    ///
    /// - Parameters:
    ///   - data: The data as JSON; `nil` for an event without data.
    ///   - token: The token of each request; `nil` for requests without one.
    init(
        flips instances: Int, data: String? = #"{"amount":250}"#, keyed: Bool = false, token: String? = nil,
        host: String = "wfd"
    ) {
        let body = data.map { #"{"event":"flip","data":\#($0)}"# } ?? #"{"event":"flip"}"#
        for number in 0..<instances {
            add(post: "/v1/instances/i-\(number)/events", body, keyed: keyed, token: token, host: host)
        }
    }

    /// Adds a POST of JSON. With a key, the request gets a new one each time that it is taken.
    mutating func add(
        post path: String, _ body: String, keyed: Bool = false, token: String? = nil, host: String = "wfd"
    ) {
        let field = "Idempotency-Key: "
        var head = "POST \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if keyed {
            keys.append(bytes.count + head.utf8.count + field.utf8.count)
            head += field + String(repeating: "0", count: UUIDv7Text.length) + "\r\n"
        }
        head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        add(head + body)
    }

    /// Adds a GET.
    mutating func add(get path: String) {
        add("GET \(path) HTTP/1.1\r\nHost: wfd\r\n\r\n")
    }

    private mutating func add(_ text: String) {
        let start = bytes.count
        bytes += text.utf8
        ranges.append(start..<bytes.count)
    }

    /// Passes a random request to a function.
    mutating func next<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let index = Int(random.next() % UInt64(ranges.count))
        if !keys.isEmpty {
            let place = keys[index]
            bytes.withUnsafeMutableBytes { bytes in
                uuid.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + UUIDv7Text.length]))
            }
        }
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[ranges[index]])) }
    }
}

/// Writes version 7 UUIDs as text (RFC 9562, section 5.7): the time in milliseconds, then random bits.
struct UUIDv7Text {
    /// The number of characters of a UUID.
    static let length = 36
    /// A generator that never repeats, not even in another run on the same database.
    private var random = Generator(seed: nanoseconds() ^ UInt64(getpid()) << 32)
    private static let digits = Array("0123456789abcdef".utf8)

    /// Writes a new UUID.
    mutating func write(to text: UnsafeMutableRawBufferPointer) {
        let milliseconds = UInt64(Date().timeIntervalSince1970 * 1_000)
        let high = milliseconds << 16 | 0x7000 | (random.next() & 0x0FFF)
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var place = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                text[place] = UInt8(ascii: "-")
                place += 1
            }
            let half = digit < 16 ? high : low
            text[place] = Self.digits[Int(half >> UInt64((15 - digit % 16) * 4) & 0xF)]
            place += 1
        }
    }
}
