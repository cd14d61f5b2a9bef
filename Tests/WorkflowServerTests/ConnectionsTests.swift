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

    @Test func aHeadIsCompleteInTenSecondsHoweverItsBytesCome() throws {
        let place = ConnectionPlace(EmbeddedChannel())
        let channel = try channel(HeadWatch(place))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive && place.idleSince != nil)
        for _ in 0..<9 {
            try channel.writeInbound(ByteBuffer(string: "G"))
            #expect(place.idleSince == nil)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func aBodyMayTakeLongerAndTheNextHeadHasItsOwnTime() throws {
        let watch = HeadWatch(ConnectionPlace(EmbeddedChannel()))
        let channel = try channel(watch)
        try channel.writeInbound(ByteBuffer(string: "head"))
        watch.headIsComplete()
        for _ in 0..<10 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(5))
            try channel.writeInbound(ByteBuffer(string: "body"))
        }
        watch.requestEnded()
        watch.allIsAnswered()
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        try channel.writeInbound(ByteBuffer(string: "G"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test(arguments: ["/livez", "/readyz", "/v1/instances"])
    func anExtraConnectionIsAskedAboutHealthAlone(path: String) throws {
        let watch = HeadWatch(ConnectionPlace(EmbeddedChannel(), isExtra: true))
        let channel = try channel(watch, RequestCodec(isOnTCP: false, watch: watch))
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
