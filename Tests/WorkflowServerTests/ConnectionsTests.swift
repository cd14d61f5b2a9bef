import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing
import WorkflowAPI

@testable import WorkflowServer  // Its connections are no part of what the daemon uses.

/// Too many connections, and heads that do not come to their end, on channels whose clock the test moves.
@Suite struct ConnectionsTests {
    private func channel(_ handlers: any ChannelHandler...) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(handlers)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
        return channel
    }

    @Test func theOneThatWasIdleLongestGivesWay() throws {
        let connections = Connections(bound: 3, extraBound: 1)
        let channels = try (0..<4).map { _ in try channel() }
        let places = channels.prefix(3).map { connections.admit($0) }
        // The first is used and rests again: the second is idle longer; the third is used.
        places[0].isUsed()
        places[0].rests()
        places[2].isUsed()
        #expect(!connections.admit(channels[3]).isExtra)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [true, false, true, true])
    }

    @Test func whoIsUsedMeanwhileStays() throws {
        let connections = Connections(bound: 1, extraBound: 1)
        let channels = try (0..<3).map { _ in try channel() }
        let first = connections.admit(channels[0])
        #expect(!connections.admit(channels[1]).isExtra)
        first.isUsed()
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [true, true, true])
    }

    @Test func withoutAnIdleOneANewOneIsExtraAndOfTheseTheOldestGoes() throws {
        let connections = Connections(bound: 2, extraBound: 2)
        let channels = try (0..<6).map { _ in try channel() }
        for channel in channels.prefix(2) { connections.admit(channel).isUsed() }
        let extras = channels[2..<5].map { connections.admit($0).isExtra }
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(extras == [true, true, true])
        #expect(channels.map(\.isActive) == [true, true, false, true, true, true])
        // A place that is free is taken by the next.
        channels[0].close(promise: nil)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(!connections.admit(channels[5]).isExtra)
    }

    /// A channel as those of the daemon are, as far as requests are read.
    private func reading(_ place: ConnectionPlace) throws -> EmbeddedChannel {
        let watch = HeadWatch(place)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(watch)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try channel.pipeline.syncOperations.addHandler(
            RequestCodec(isOnTCP: false, watch: watch, peer: Peer(actor: nil)))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
        return channel
    }

    /// The next request's head that a channel has read; nil when there is none.
    private func head(_ channel: EmbeddedChannel) throws -> HTTPRequest? {
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { return head }
        }
        return nil
    }

    private func expectTimeout(on channel: EmbeddedChannel) throws {
        let request = try #require(try head(channel))
        #expect(request.unreadable?.type == .requestTimeout)
        #expect(request.unreadable?.detail == "The head of the request was not complete after 10 seconds")
        #expect(request.headerFields[.connection] == "close")
        // Its rest may come: it is not heard.
        try channel.writeInbound(ByteBuffer(string: " / HTTP/1.1\r\n\r\n"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(try head(channel) == nil)
    }

    @Test func aHeadIsCompleteInTenSecondsHoweverItsBytesCome() throws {
        let place = ConnectionPlace(EmbeddedChannel())
        let channel = try reading(place)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(place.idleSince != nil)
        for byte in "GET /livez" {
            try channel.writeInbound(ByteBuffer(string: String(byte)))
            #expect(try head(channel) == nil && place.idleSince == nil)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        }
        #expect(try head(channel) == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(10))
        try expectTimeout(on: channel)
    }

    @Test func aBodyMayTakeLongerAndTheNextHeadHasItsOwnTime() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try channel.writeInbound(
            ByteBuffer(string: "POST / HTTP/1.1\r\nHost: wfd\r\nContent-Length: 10\r\n\r\n"))
        #expect(try head(channel)?.method == .post)
        for _ in 0..<10 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            try channel.writeInbound(ByteBuffer(string: "b"))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.writeInbound(ByteBuffer(string: "G"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(try head(channel) == nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        try expectTimeout(on: channel)
    }

    @Test(arguments: ["application/json", "application/x-ndjson"])
    func aBodyIsCompleteInThirtySecondsUnlessItIsInLines(type: String) throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try channel.writeInbound(
            ByteBuffer(string: "POST / HTTP/1.1\r\nHost: wfd\r\nContent-Type: \(type)\r\nContent-Length: 10\r\n\r\n"))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(5_999))
            try channel.writeInbound(ByteBuffer(string: "b"))
        }
        if type == "application/json" {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(throws: BodyTimeout.self) { try channel.throwIfErrorCaught() }
        } else {
            channel.embeddedEventLoop.advanceTime(by: .seconds(600))
            try channel.throwIfErrorCaught()
        }
    }

    /// Its head came together with the end of a body in lines, which nobody had looked at any more.
    @Test func aBodyBehindOneInLinesIsCompleteInThirtySecondsToo() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        let lines = "POST / HTTP/1.1\r\nHost: wfd\r\nContent-Type: application/x-ndjson\r\nContent-Length: 2\r\n\r\na"
        try channel.writeInbound(ByteBuffer(string: lines))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.writeInbound(
            ByteBuffer(string: "aPOST / HTTP/1.1\r\nHost: wfd\r\nContent-Length: 100\r\n\r\n"))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(5))
            try channel.writeInbound(ByteBuffer(string: "b"))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(throws: BodyTimeout.self) { try channel.throwIfErrorCaught() }
    }

    @Test func aConnectionTooManyIsClosedWhenItsHeadDoesNotEnd() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel(), isExtra: true))
        try channel.writeInbound(ByteBuffer(string: "G"))
        channel.embeddedEventLoop.advanceTime(by: ServerLimits().headTime)
        #expect(!channel.isActive)
    }

    @Test(arguments: ["/livez", "/readyz", "/v1/instances"])
    func anExtraConnectionIsAskedAboutHealthAlone(path: String) throws {
        let watch = HeadWatch(ConnectionPlace(EmbeddedChannel(), isExtra: true))
        let channel = try channel(watch, RequestCodec(isOnTCP: false, watch: watch, peer: Peer(actor: nil)))
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        channel.pipeline.syncOperations.fireChannelRead(NIOAny(HTTPServerRequestPart.head(head)))
        guard case .head(let request)? = try channel.readInbound(as: HTTPRequestPart.self) else {
            Issue.record("no head")
            return
        }
        let refusal = RequestGate(hosts: nil).refusal(of: request)
        #expect(request.headerFields[.connection] == "close")
        if path == "/v1/instances" {
            #expect(refusal?.type == .overloaded)
            #expect(refusal?.detail == "All connections of this address are in use")
        } else {
            #expect(refusal == nil && request.path == path)
        }
    }
}
