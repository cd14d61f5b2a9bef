import EngineFloor
import Foundation

/// A request with many events, one in each line, whose bytes were made before the clock starts.
struct LineBody {
    private(set) var bytes: [UInt8]
    let lines: Int
    /// The offset of the key in each line; empty without keys.
    private var keys: [Int] = []
    private var uuid = UUIDv7Text()

    /// Creates a body with `flip` for instances picked at random.
    init(lines: Int, instances: Int, keyed: Bool, seed: UInt64 = 7) {
        self.lines = lines
        var random = Generator(seed: seed)
        var body: [UInt8] = []
        let key = #""key":""#
        for _ in 0..<lines {
            body += #"{"instance":"i-\#(Int(random.next() % UInt64(instances)))","event":"flip","#.utf8
            body += #""data":{"amount":250}"#.utf8
            if keyed {
                keys.append(body.count + 1 + key.utf8.count)
                body += ("," + key + String(repeating: "0", count: UUIDv7Text.length) + "\"").utf8
            }
            body += "}\n".utf8
        }
        let head =
            "POST /v1/events HTTP/1.1\r\nHost: wfd\r\nContent-Type: application/x-ndjson\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        bytes = Array(head.utf8) + body
        keys = keys.map { $0 + head.utf8.count }
    }

    /// Gives each line a new key.
    mutating func renewKeys() {
        bytes.withUnsafeMutableBytes { bytes in
            for key in keys {
                uuid.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[key..<key + UUIDv7Text.length]))
            }
        }
    }
}
