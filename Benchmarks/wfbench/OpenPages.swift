import EngineFloor
import Foundation

/// Pages of instances in the console, as browsers keep them: each has its stream, and is renewed when its instance has
/// changed, at once, then once a second at most and a tenth of the time at most, as `console.mjs` does.
final class OpenPages {
    private struct Page {
        let stream: StreamConnection
        let request: [UInt8]
        var hasChanged = false
        var isRenewing = false
        /// The time before which no renewal begins.
        var next: UInt64 = 0
    }

    /// The connections for renewals.
    private static let connections = 16

    private var pages: [Page] = []
    private let renewing: [LoadConnection]
    /// The page whose renewal is under way on a connection.
    private var renewed = [Int?](repeating: nil, count: connections)
    private let poller: Poller
    private let timer: EventTimer

    /// Opens pages of the instances `i-0`, `i-1`, …, in sessions by turns.
    init(_ count: Int, port: Int, cookies: [String]) throws {
        let connections = try (0..<Self.connections).map { _ in
            try LoadConnection(UnixSocket.connect(toPort: port))
        }
        for number in 0..<count {
            let head = "Host: 127.0.0.1:\(port)\r\nCookie: \(cookies[number % cookies.count])\r\n"
            let page = "GET /console/instances/i-\(number) HTTP/1.1\r\n\(head)"
            try connections[0].exchange(Array((page + "\r\n").utf8))
            let text = connections[0].body
            let place = try Self.attribute("data-stream", of: text).replacing("&amp;", with: "&")
            let stream = try StreamConnection(
                UnixSocket.connect(toPort: port), Array("GET \(place) HTTP/1.1\r\n\(head)\r\n".utf8))
            let drawing = try Self.attribute("data-drawing", of: text)
            pages.append(Page(stream: stream, request: Array((page + "Wfd-Parts: \(drawing)\r\n\r\n").utf8)))
        }
        timer = try EventTimer()
        renewing = connections
        poller = try Poller(pages.map(\.stream.descriptor) + connections.map(\.descriptor) + [timer.descriptor])
    }

    private static func attribute(_ name: String, of html: String) throws -> String {
        guard let start = html.firstRange(of: name + "=\""),
            let end = html[start.upperBound...].firstIndex(of: "\"")
        else { throw BenchmarkError("a page has no '\(name)': \(html.prefix(300))") }
        return String(html[start.upperBound..<end])
    }

    /// Reads streams and renews pages until a function returns true. Returns the number of renewals.
    func read(until isOver: () -> Bool) throws -> Int {
        var renewals = 0
        while !isOver() || renewed.contains(where: { $0 != nil }) {
            try timer.wake(at: nanoseconds() + 5_000_000)
            for place in 0..<(try poller.wait(seconds: 1)) {
                let number = poller[place]
                if number < pages.count {
                    try pages[number].stream.receive { row in
                        if row.place(of: "event: transition") != nil { pages[number].hasChanged = true }
                    }
                } else if number < pages.count + renewing.count {
                    let connection = number - pages.count
                    if try renewing[connection].receive() { renewals += ended(connection) }
                }
            }
            if !isOver() { try begin() }
        }
        return renewals
    }

    /// Marks a renewal as done. Returns the number of renewals that ended.
    private func ended(_ connection: Int) -> Int {
        guard let page = renewed[connection] else { return 0 }
        let (begun, now) = (renewing[connection].since, nanoseconds())
        pages[page].isRenewing = false
        pages[page].next = max(begun + 1_000_000_000, now + 9 * (now - begun))
        renewed[connection] = nil
        return 1
    }

    /// Begins the renewals that are due, as far as connections are free.
    private func begin() throws {
        let now = nanoseconds()
        for place in pages.indices {
            let page = pages[place]
            guard page.hasChanged, !page.isRenewing, page.next <= now else { continue }
            guard let free = renewed.firstIndex(of: nil) else { return }
            pages[place].hasChanged = false
            pages[place].isRenewing = true
            renewed[free] = place
            renewing[free].since = now
            try page.request.withUnsafeBytes { try renewing[free].send($0) }
        }
    }

    /// Closes all connections.
    func close() {
        for page in pages { page.stream.close() }
        for connection in renewing { connection.close() }
        poller.close()
        timer.close()
    }
}
