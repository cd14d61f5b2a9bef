import NIOCore

/// The bounds of a server.
package struct ServerLimits: Sendable {
    /// Connections of one address at once.
    package var connections = 900
    /// Connections beyond, each for one answer: so health can be asked for when no other is idle.
    var extraConnections = 50
    /// Connections beyond these, which are only about to be closed.
    var closingConnections = 10
    /// From the first byte of a request's head to its last.
    var headTime: TimeAmount = .seconds(10)
    /// From the first byte of a request to the last of its body, unless that is in lines.
    var bodyTime: TimeAmount = .seconds(30)
    /// For which the rest of a line of a body is waited for, and between two looks whether it is still waited for.
    var lineTime: TimeAmount = .seconds(10)
    var lineLook: TimeAmount = .seconds(1)
    /// For so long, and so many bytes, what still comes of a request behind its answer is read and thrown away.
    var restTime: TimeAmount = .seconds(2)
    var restBytes = 1 << 20
    /// Seconds after which an idle connection is closed: longer than a request for history may wait.
    var idleSeconds: Int64 = 75
    /// Bytes of all header fields of a request, and of one of them.
    var headBytes = 80 << 10
    /// Header fields of a request.
    var headFields = 1_000
    /// Definitions that are read at once: each may have a mebibyte.
    var machinesAtOnce = 8
    /// Definitions that are compiled or wait for it, each of a mebibyte at most; past it callers are told to come back.
    var waitingDefinitions = 16
    /// Between two looks at the file of a socket, which somebody may have removed.
    var socketLook: Duration = .seconds(2)
    /// Between two lines that only tell how far something is.
    var progressInterval: Duration = .milliseconds(100)

    /// Streams of rows at once, of all addresses.
    package var streams = 500
    /// Connections of an address that neither streams nor requests that wait may take. Half of them are not for
    /// requests whose body is waited for either.
    package var shortConnections = 200
    /// The longest that a stream says nothing: shorter than proxies wait.
    package var streamSilence: Duration = .seconds(15)
    /// How long a stream may take to tell its last rows when the daemon stops.
    package var streamEnding: Duration = .seconds(2)
    /// What a stream waits for more rows after it has told some, for each stream that is open; and at most.
    package var streamPace: (each: Duration, longest: Duration) = (.microseconds(100), .milliseconds(20))
    /// Bytes of rows that a stream reads and sends at once.
    package var streamBytes = 256 << 10
    /// Parts that a stream reads while it sends the one before.
    package var streamAhead = 2
    /// About as many as the text of a small row has: room for it is made at once.
    package var streamRowBytes = 384
    /// Rows that a stream of one instance reads at once.
    package var streamRows: Int64 = 256
    /// For which rows are kept that one stream has read, for the others.
    package var streamTail: Duration = .milliseconds(100)

    package init() {}

    /// The bounds where an address has few connections in all.
    package init(allConnections all: Int) {
        extraConnections = min(extraConnections, all / 16)
        closingConnections = min(closingConnections, all / 16)
        connections = min(connections, all - extraConnections - closingConnections)
        shortConnections = min(shortConnections, connections / 4)
    }

    /// Connections of one address of any kind.
    var allConnections: Int { connections + extraConnections + closingConnections }
}
