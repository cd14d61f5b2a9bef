import NIOCore

/// The limits of a server.
package struct ServerLimits: Sendable {
    /// Connections of one address at once.
    package var connections = 900
    /// Further connections, each for one answer, so that health can be queried when no other connection is idle.
    var extraConnections = 50
    /// Connections beyond these, which are about to be closed.
    var closingConnections = 10
    /// The longest time from a connection's begin to the end of its TLS handshake.
    var handshakeTime: TimeAmount = .seconds(10)
    /// The longest time from the first byte of a request's head to its last.
    var headTime: TimeAmount = .seconds(10)
    /// The longest time from the first byte of a request to the last of its body, unless the body is in lines.
    var bodyTime: TimeAmount = .seconds(30)
    /// The longest wait for the rest of a body's line, and the interval of the checks whether the line is still
    /// awaited.
    var lineTime: TimeAmount = .seconds(10)
    var lineLook: TimeAmount = .seconds(1)
    /// The time and the bytes for which the rest of a request is read and discarded after its answer.
    var restTime: TimeAmount = .seconds(2)
    var restBytes = 1 << 20
    /// Bytes of unfinished bodies over all addresses, and the bytes of a part, in which they are counted. An unfinished
    /// line counts like a body.
    var unfinishedBytes = 64 << 20
    var unfinishedPart = 64 << 10
    /// Seconds after which an idle connection is closed; longer than a request for history may wait.
    var idleSeconds: Int64 = 75
    /// Bytes of all header fields of a request together, and of any one of them.
    var headBytes = 80 << 10
    /// Header fields of a request.
    var headFields = 1_000
    /// Definitions that are read at once; each may have a mebibyte.
    var machinesAtOnce = 8
    /// Definitions that are compiled or wait for it, each of a mebibyte at most; beyond them callers are asked to
    /// retry.
    var waitingDefinitions = 16
    /// The interval between two checks of a socket's file, which somebody may have removed.
    var socketLook: Duration = .seconds(2)
    /// The interval between two lines that only report progress.
    var progressInterval: Duration = .milliseconds(100)

    /// Streams of rows at once, over all addresses.
    package var streams = 500
    /// Connections of an address that streams and waiting requests cannot take. Half of these connections are also
    /// closed to requests whose body is awaited.
    package var shortConnections = 200
    /// The longest silence of a stream; shorter than proxies wait.
    package var streamSilence: Duration = .seconds(15)
    /// The time in which a stream can send its last rows when the daemon stops.
    package var streamEnding: Duration = .seconds(2)
    /// The pause of a stream after it has sent rows: the time for each open stream, and the maximum.
    package var streamPace: (each: Duration, longest: Duration) = (.microseconds(100), .milliseconds(20))
    /// Bytes of rows that a stream reads and sends at once.
    package var streamBytes = 256 << 10
    /// Parts that a stream reads ahead while it sends the previous one.
    package var streamAhead = 2
    /// The approximate bytes of a small row's text; buffers have this initial capacity.
    package var streamRowBytes = 384
    /// Rows that a stream of one instance reads at once.
    package var streamRows: Int64 = 256
    /// The time for which the rows that one stream has read are kept for other streams.
    package var streamTail: Duration = .milliseconds(100)

    package init() {}

    /// Creates the limits of an address that has few connections in total.
    package init(allConnections all: Int) {
        extraConnections = min(extraConnections, all / 16)
        closingConnections = min(closingConnections, all / 16)
        connections = min(connections, all - extraConnections - closingConnections)
        shortConnections = min(shortConnections, connections / 4)
    }

    /// The connections of one address, of every kind.
    var allConnections: Int { connections + extraConnections + closingConnections }
}
