import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing
import WorkflowAPI
import WorkflowStore

@testable import WorkflowServer  // Its connections are no part of what the daemon uses.

/// Tests too many connections, and heads that do not end, on channels whose clock the test moves.
@Suite struct ConnectionsTests {
    private func channel(_ handlers: any ChannelHandler...) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(handlers)
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/none"), promise: nil)
        return channel
    }

    @Test func theOneThatWasIdleLongestGivesWay() throws {
        let connections = Connections(bound: 3, extraBound: 1)
        let channels = try (0..<4).map { _ in try channel() }
        let places = channels.prefix(3).map { connections.admit($0) }
        // The first is used again and rests: the second is idle longer; the third is used.
        for place in places { place.requests() }
        places[0].isUsed()
        places[0].rests()
        places[2].isUsed()
        #expect(!connections.admit(channels[3]).isExtra)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [true, false, true, true])
    }

    /// Its first request is on its way: it is no more idle than one with half a head, and younger.
    @Test func aNewConnectionDoesNotGiveWayToTheNext() throws {
        let connections = Connections(bound: 2, extraBound: 1)
        let channels = try (0..<3).map { _ in try channel() }
        let first = connections.admit(channels[0])
        first.isUsed()
        _ = connections.admit(channels[1])
        #expect(!connections.admit(channels[2]).isExtra)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [false, true, true])
    }

    /// A head that never ends is used all the time.
    @Test(arguments: [true, false]) func whoHasSentNoRequestInTimeGivesWayFirst(isTimeOver: Bool) throws {
        let connections = Connections(bound: 2, extraBound: 1, grace: isTimeOver ? .zero : .hours(1))
        let channels = try (0..<4).map { _ in try channel() }
        let places = channels.prefix(2).map { connections.admit($0) }
        places[0].requests()
        places[1].isUsed()
        let third = connections.admit(channels[2])
        #expect(!third.isExtra)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [isTimeOver, !isTimeOver, true, true])
        // Without an idle one there is no grace.
        for place in places + [third] { place.isUsed() }
        #expect(!connections.admit(channels[3]).isExtra)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [isTimeOver, false, !isTimeOver, true])
    }

    @Test func whoIsUsedMeanwhileStays() throws {
        let connections = Connections(bound: 1, extraBound: 1)
        let channels = try (0..<3).map { _ in try channel() }
        let first = connections.admit(channels[0])
        #expect(!connections.admit(channels[1]).isExtra)
        first.isUsed()
        first.requests()
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(channels.map(\.isActive) == [true, true, true])
    }

    @Test func withoutAnIdleOneANewOneIsExtraAndOfTheseTheOldestGoes() throws {
        let connections = Connections(bound: 2, extraBound: 2)
        let channels = try (0..<6).map { _ in try channel() }
        for channel in channels.prefix(2) {
            let place = connections.admit(channel)
            place.isUsed()
            place.requests()
        }
        let extras = channels[2..<5].map { connections.admit($0).isExtra }
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(extras == [true, true, true])
        #expect(channels.map(\.isActive) == [true, true, false, true, true, true])
        // A place that is free is taken by the next.
        channels[0].close(promise: nil)
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(!connections.admit(channels[5]).isExtra)
    }

    /// All connections are busy.
    @Test func theNewestOfTheCallerWithTheMostGivesWay() throws {
        let connections = Connections(bound: 5, extraBound: 4)
        let channels = try (0..<8).map { _ in try channel() }
        for (channel, caller) in zip(channels, ["a", "b", "a", "b", "a"]) {
            let place = connections.admit(channel, of: Peer(actor: Actor(rawValue: caller)))
            place.isUsed()
            place.requests()
        }
        let extras = channels.dropFirst(5).map { connections.admit($0) }
        func admitted() -> [Bool] {
            for channel in channels { channel.embeddedEventLoop.run() }
            return extras.map { !$0.isExtra }
        }
        // The one with the most gets no more, and the second would then have as many.
        for caller: Actor in ["a", "b"] { connections.admit(extras[0], for: caller) }
        #expect(admitted() == [false, false, false] && channels.allSatisfy(\.isActive))
        connections.admit(extras[1], for: "c")
        #expect(admitted() == [false, true, false])
        #expect(channels.map(\.isActive) == [true, true, true, true, false, true, true, true])
        // The third caller has one now, before anybody has looked at its request; it would have as many as the others.
        extras[1].isUsed()
        connections.admit(extras[2], for: "c")
        #expect(admitted() == [false, true, false])
        // A place that is free is for whoever asks.
        channels[0].close(promise: nil)
        channels[0].embeddedEventLoop.run()
        connections.admit(extras[2], for: "a")
        #expect(admitted() == [false, true, true])
    }

    /// Returns a channel that reads requests like the daemon's.
    private func reading(
        _ place: ConnectionPlace, _ lasting: LastingAnswers? = nil, _ connection: CallerConnection? = nil
    ) throws -> EmbeddedChannel {
        let watch = HeadWatch(place, lasting: lasting, connection: connection)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(watch)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try channel.pipeline.syncOperations.addHandler(
            RequestCodec(isOnTCP: false, watch: watch))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/none"), promise: nil)
        return channel
    }

    /// Returns the next request's head that a channel has read; `nil` if there is none.
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
        // The rest of the head may come, but is ignored.
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

    /// Begins a request without its body.
    private func begin(
        _ target: String, _ length: Int, as type: String = "application/json", on channel: EmbeddedChannel
    ) throws {
        let head = "POST \(target) HTTP/1.1\r\nHost: wfd\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: head))
    }

    @Test(arguments: [
        ("/v1/events", "application/x-ndjson", true), ("/v1/tasks?a=b", "Application/X-NDJSON; charset=utf-8", true),
        ("/v1/bulk", "application/x-ndjson", true), ("/v1/bulk", "application/json", false),
        ("http://wfd/v1/events?a=b", "application/x-ndjson", true), ("//v1/tasks/", "application/x-ndjson", true),
        ("http://wfd/v1/machines", "application/x-ndjson", false), ("/v1/eventsX", "application/x-ndjson", false),
        ("/v1/tasks/t/complete", "application/x-ndjson", false), ("/", "application/x-ndjson", false),
    ])
    func aBodyIsCompleteInThirtySecondsUnlessItIsInLines(target: String, type: String, isInLines: Bool) throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try begin(target, 10, as: type, on: channel)
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(5_999))
            try channel.writeInbound(ByteBuffer(string: "b"))
        }
        if !isInLines {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(throws: BodyRefusal.self) { try channel.throwIfErrorCaught() }
        } else {
            channel.embeddedEventLoop.advanceTime(by: .seconds(600))
            try channel.throwIfErrorCaught()
        }
    }

    /// The head came together with the end of a body in lines, which nothing was reading any more.
    @Test func aBodyBehindOneInLinesIsCompleteInThirtySecondsToo() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try begin("/v1/events", 2, as: "application/x-ndjson", on: channel)
        try channel.writeInbound(ByteBuffer(string: "a"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.writeInbound(
            ByteBuffer(string: "aPOST / HTTP/1.1\r\nHost: wfd\r\nContent-Length: 100\r\n\r\n"))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(5))
            try channel.writeInbound(ByteBuffer(string: "b"))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(throws: BodyRefusal.self) { try channel.throwIfErrorCaught() }
    }

    /// The time for a line runs only while its reader waits for the rest.
    @Test func aLineIsCompleteInTenSecondsWhileItIsWaitedFor() throws {
        let connection = CallerConnection(EmbeddedChannel())
        let channel = try reading(ConnectionPlace(EmbeddedChannel()), nil, connection)
        try begin("/v1/events", 1_000, as: "application/x-ndjson", on: channel)
        let loop = channel.embeddedEventLoop
        // The reader is busy, then waits for lines of which each comes in time.
        loop.advanceTime(by: .seconds(60))
        for line in 1...3 {
            connection.waits(forLine: line)
            loop.advanceTime(by: .seconds(9))
            connection.waits(forLine: 0)
            loop.advanceTime(by: .seconds(9))
        }
        connection.waits(forLine: 4)
        for _ in 0..<10 {
            // The bytes of the line come one by one, which gives it no more time.
            try channel.writeInbound(ByteBuffer(string: "b"))
            loop.advanceTime(by: .seconds(1))
        }
        try channel.throwIfErrorCaught()
        loop.advanceTime(by: .seconds(1))
        let refusal = #expect(throws: BodyRefusal.self) { try channel.throwIfErrorCaught() }
        #expect(refusal?.problem.type == .requestTimeout)
        #expect(refusal?.problem.detail == "Line 4 was not complete after 10 seconds")
    }

    @Test func aRequestWhoseBodyHasNotComeHasAPlaceUntilItHas() throws {
        var limits = ServerLimits()
        limits.connections = 4
        limits.shortConnections = 2
        // Two streams and requests that wait, or three with those whose bodies are waited for.
        let lasting = LastingAnswers(limits: limits)
        let channels = try (0..<4).map { _ in try reading(ConnectionPlace(EmbeddedChannel()), lasting) }
        try channels[0].writeInbound(ByteBuffer(string: "POST / HTTP/1.1\r\nHost: wfd\r\nContent-Length: 1\r\n\r\nb"))
        for channel in channels.prefix(3) { try begin("/", 2, on: channel) }
        #expect(throws: Problem.self) { try lasting.poll(for: nil) }
        for channel in channels.prefix(3) { try channel.throwIfErrorCaught() }
        let refusal = #expect(throws: BodyRefusal.self) { try begin("/", 2, on: channels[3]) }
        #expect(refusal?.problem.type == .overloaded)
        #expect(refusal?.problem.detail == "3 streams and requests that wait are open already")
        // One body has come, and one connection has gone.
        try channels[0].writeInbound(ByteBuffer(string: "bb"))
        channels[1].close(promise: nil)
        channels[1].embeddedEventLoop.run()
        withExtendedLifetime(try lasting.poll(for: nil)) {}
    }

    private func answer(
        _ status: HTTPResponse.Status, on channel: EmbeddedChannel
    ) throws -> String {
        channel.write(HTTPResponsePart.head(HTTPResponse(status: status)), promise: nil)
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        var text = ""
        while let bytes = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = bytes { text += String(buffer: buffer) }
        }
        return text
    }

    @Test(arguments: [("1000", false), ("1048577", true), ("99999999999999999999", true)])
    func whatIsLeftOfARefusedBodyHasABound(length: String, isClosed: Bool) throws {
        // A body of a known length that fits comes to its end.
        for isTooLong in isClosed ? [false, true] : [false] {
            let place = ConnectionPlace(EmbeddedChannel())
            let channel = try reading(place)
            let head = "POST / HTTP/1.1\r\nHost: wfd\r\nContent-Length: \(length)\r\n\r\n"
            try channel.writeInbound(ByteBuffer(string: length.count > 18 ? Self.chunkedHead : head))
            #expect(try answer(.notFound, on: channel).contains("Connection: close") == isClosed)
            // A body that is thrown away keeps no place from a new connection.
            #expect(place.isIdle == isClosed)
            if isTooLong {
                try channel.writeInbound(ByteBuffer(repeating: 0x62, count: 1 << 19))
                #expect(channel.isActive)
                // The connection ends in the middle of the request, which the decoder reports.
                _ = try? channel.writeInbound(ByteBuffer(repeating: 0x62, count: 1 + 1 << 19))
            } else {
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_999))
                #expect(channel.isActive)
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            }
            #expect(!channel.isActive)
        }
    }

    /// A head that does not have the length of the body.
    private static let chunkedHead = "POST / HTTP/1.1\r\nHost: wfd\r\nTransfer-Encoding: chunked\r\n\r\n10000000\r\n"

    @Test func aRefusedBodyThatComesInTimeLeavesTheConnection() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try begin("/", 100, on: channel)
        #expect(try head(channel)?.path == "/")
        #expect(try !answer(.notFound, on: channel).contains("Connection: close"))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_999))
        try channel.writeInbound(ByteBuffer(repeating: 0x62, count: 100))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        try channel.writeInbound(ByteBuffer(string: "GET /livez HTTP/1.1\r\nHost: wfd\r\n\r\n"))
        #expect(try head(channel)?.path == "/livez")
    }

    /// The answer to the first request reaches the system after the second request has begun.
    @Test func theRestOfARequestIsNotThatOfTheNext() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try begin("/", 100, on: channel)
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .notFound)), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        try channel.writeInbound(ByteBuffer(repeating: 0x62, count: 100))
        try begin("/v1/machines", 100, on: channel)
        channel.flush()
        channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        #expect(channel.isActive)
    }

    /// The bytes are read to their end, so that a client that waits for the end of the connection does not wait longer.
    @Test(arguments: [false, true]) func theConnectionEndsWithARequestThatWasCutOff(isWrittenLate: Bool) throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        try channel.writeInbound(ByteBuffer(string: Self.chunkedHead.replacing("10000000", with: "5")))
        #expect(try head(channel)?.path == "/")
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .notFound)), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        if !isWrittenLate { channel.flush() }
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(string: "bbbbb\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: wfd\r\n\r\n"))
        if isWrittenLate { channel.flush() }
        // A channel without a socket has one end only.
        #expect(try !channel.isActive && head(channel) == nil)
    }

    @Test func whoWantsNoMoreAnswersIsReadToTheEndAndNotHeard() throws {
        let channel = try reading(ConnectionPlace(EmbeddedChannel()))
        let request = "GET /livez HTTP/1.1\r\nHost: wfd\r\nConnection: close\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: request))
        #expect(try head(channel)?.path == "/livez")
        #expect(try answer(.ok, on: channel).contains("Connection: close"))
        try channel.writeInbound(ByteBuffer(string: request))
        #expect(try head(channel) == nil)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
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
        let channel = try channel(watch, RequestCodec(isOnTCP: false, watch: watch))
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        channel.pipeline.syncOperations.fireChannelRead(NIOAny(HTTPServerRequestPart.head(head)))
        guard case .head(let request)? = try channel.readInbound(as: HTTPRequestPart.self) else {
            Issue.record("no head")
            return
        }
        let refusal = RequestGate(hosts: nil, access: .everyone).refusal(of: request)
        #expect(request.headerFields[.connection] == "close")
        if path == "/v1/instances" {
            #expect(refusal?.type == .overloaded)
            #expect(refusal?.detail == "All connections of this address are in use")
        } else {
            #expect(refusal == nil && request.path == path)
        }
    }
}
