import DaemonTesting
import WorkflowAPI
import WorkflowJSON

/// Values that no honest client sends, and requests that bring them to every route.
enum OddRequests {
    /// The numbers at the limits of arithmetic.
    static let numbers = [
        "0", "-1", "+1", "1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "9007199254740993",
    ]

    private static let long = 8 << 10
    private static let texts =
        ["", ";", ",", "=", "\"", "\"\"", ";;,,==", "=a", "a=", "*", "%", "return=;", "\u{1}\u{1F}", "\u{7F}", "é"]
        + ["a", ";", "\"", ","].map { String(repeating: $0, count: long) }

    /// Values of headers, without NUL and without line breaks.
    static let headerValues: [[UInt8]] =
        (texts + numbers + numbers.map { "\"\($0)\"" }).map { Array($0.utf8) } + [[0xFF, 0xFE], [0xC3]]

    /// One value of each sort.
    static let fewValues: [[UInt8]] =
        ["", ";", "\"-9223372036854775809\"", String(repeating: ",", count: long)].map { Array($0.utf8) }
        + [[0xFF, 0xFE]]

    /// The headers that wfd reads.
    static let readHeaders = [
        "Accept", "Content-Type", "Host", "Idempotency-Key", "If-Match", "Last-Event-ID", "Origin", "Prefer",
        "Sec-Fetch-Site",
    ]

    /// Other headers of HTTP, which wfd does not read.
    static let otherHeaders = [
        "Accept-Encoding", "Authorization", "Content-Encoding", "Cookie", "Date", "Forwarded", "If-Modified-Since",
        "If-None-Match", "Range", "User-Agent", "X-Request-ID",
    ]

    /// The headers that decide where a request ends, or what happens to its connection: no request follows them.
    static let framing = ["Connection", "Content-Length", "Expect", "TE", "Trailer", "Transfer-Encoding", "Upgrade"]

    /// Returns encoded values of a query's parameter.
    static func queryValues(of parameter: String) -> [String] {
        switch parameter {
        case "page": queryValues + pageTokens
        case "after", "cursor": queryValues + cursors
        default: queryValues
        }
    }

    private static let queryValues =
        ["", "%", "%00", "%FF%FE", "=", "+", ";", ",", "a.b", "true", "1w", "-1ms", "x&=&x"]
        + numbers + [String(repeating: "a", count: long), String(repeating: "%2C", count: 2_000)]

    /// Returns encoded values of a part of a path.
    static func pathValues(of part: String) -> [String] {
        switch part {
        case "task": pathValues + tokens
        case "effect": pathValues + calls
        default: pathValues
        }
    }

    private static let pathValues =
        ["%", "%00", "%FF%FE", "%2F", "%2e%2e", "a;b", "=", ",", String(repeating: "a", count: long)]
        + numbers

    private static let extremes: [Int64] = [.min, -1, 0, 1, 1 << 48, 1 << 58, .max]

    /// The names of calls: a seq and a number.
    private static let calls = numbers.flatMap { ["call.\($0).1", "call.1.\($0)", "call.1.1000"] }

    /// The tokens of tasks: five numbers and a secret, in hexadecimal.
    private static let tokens: [String] = {
        func digits(_ number: Int64) -> String {
            let text = String(UInt64(bitPattern: number), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        let usual: [Int64] = [2, 1, 1, 1, 1_700_000_000_000]
        return usual.indices.flatMap { place in
            extremes.map { number in
                var numbers = usual
                numbers[place] = number
                return numbers.map(digits).joined() + String(repeating: "7", count: 32)
            }
        }
    }()

    /// The page tokens of every list, of the first generation.
    private static let pageTokens: [String] = {
        let forms = [
            #"["m","a"]"#, #"["i",null,null,null,#,null,null,#,"running",#]"#,
            #"["i",null,null,null,null,null,"oldest",#,"x",#]"#,
            #"["i",null,null,null,null,null,"updated",#,"x",#]"#, #"["n",null,#,"running","a"]"#, #"["t",#,#,#]"#,
            #"["w",#,#]"#, #"["w",#,#,#,"failed",#]"#, #"["w",#,#,#,"suspended",#]"#, #"["h",#,false,#]"#,
            #"["h",1,true,#]"#, #"["h",1,false,#]"#, #"["q","a"]"#, #"["u",#]"#, #"["e",null,null,null,#]"#,
            #"["a",#,#]"#, #"["a",1,#]"#, "[]", "null",
        ]
        return forms.flatMap { form in
            extremes.map { number in
                base64(form.replacing("[", with: "[1,", maxReplacements: 1).replacing("#", with: "\(number)"))
            }
        }
    }()

    /// The cursors of rows: generation, partition and number.
    private static let cursors = extremes.flatMap { number in
        ["\(number).0.1", "1.\(number).1", "1.0.\(number)", "\(number).\(number).\(number)"].map(base64)
    }

    private static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (letters, bits, count) = ("", 0, 0)
        for byte in text.utf8 {
            (bits, count) = ((bits << 8 | Int(byte)) & 0xFFFF, count + 8)
            while count >= 6 {
                count -= 6
                letters.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { letters.append(alphabet[bits << (6 - count) & 63]) }
        return letters
    }

    /// Encoded JSON values for any place in a body.
    static let jsonValues =
        numbers.filter { !$0.hasPrefix("+") } + [
            "null", "true", "[]", "{}", "\"\"", "\"a\"", "\"1w\"", "\"1-9223372036854775807\"", "\"\\u0000\"",
            "\"0000-01-01T00:00:00.000Z\"", "\"9999-12-31T23:59:59.999Z\"", "\"8999-12-31T23:59:59.999Z\"",
            "[0, -1, null]", "{\"a\": {\"\": 1}}", "\"\(String(repeating: "a", count: long))\"",
            String(repeating: "[", count: 5_000),
        ]

    /// Returns a body with each of its values, and the whole body, replaced by each odd value.
    static func variants(of body: String) -> [String] {
        guard case .object(let object)? = try? JSONReader.value(from: body) else { return jsonValues }
        let mark = "7182818284590452"
        return jsonValues
            + places(.object(object), mark: .int(7_182_818_284_590_452)).flatMap { place in
                jsonValues.map { JSONWriter.string(place).replacing(mark, with: $0) }
            }
    }

    /// Returns a value with a mark in the place of each of its values, one after another.
    private static func places(_ value: JSONValue, mark: JSONValue) -> [JSONValue] {
        guard case .object(let object) = value else { return [mark] }
        return [mark]
            + object.members.flatMap { member in
                places(member.value, mark: mark).map { changed in
                    var changedObject = object
                    changedObject[member.key] = changed
                    return .object(changedObject)
                }
            }
    }
}
