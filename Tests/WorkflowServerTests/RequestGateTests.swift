import HTTPTypes
import Testing
import WorkflowAPI
import WorkflowServer

extension RequestGate {
    /// Returns the reason why a request is refused; `nil` if it is admitted.
    func refusal(of request: HTTPRequest) -> Problem? {
        guard case .failure(let problem) = admit(request, from: Peer(actor: nil), for: nil) else { return nil }
        return problem
    }
}

/// Tests the requests over TCP that are admitted, judged by their heads.
@Suite struct RequestGateTests {
    private static let gate = RequestGate(
        hosts: AllowedHosts(
            listeningOn: "127.0.0.1", others: FurtherHosts(["wfd.example", "[0:0::A]"].compactMap(HostName.init))),
        access: .everyone)

    private static let socket = RequestGate(
        hosts: AllowedHosts(ofSocketAnd: FurtherHosts([HostName("wfd.example")].compactMap(\.self))), access: .everyone)

    private func request(for hosts: [String], _ fields: [(String, String)] = []) throws -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: "http", authority: hosts.first, path: "/v1/verify")
        for (name, value) in hosts.dropFirst().map({ ("Host", $0) }) + fields {
            request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return request
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:7777", "localhost", "localhost:1", "LocalHost", "localhost:", "localhost.",
        "Wfd.Example.:80", "wfd.example",
        "WFD.Example:443", "[::a]:7777", "[::A]", "[0:0:0:0:0:0:0:a]:1",
    ])
    func aHostThatIsServedIsLetInWithAnyPort(host: String) throws {
        #expect(try Self.gate.refusal(of: request(for: [host])) == nil)
    }

    @Test(arguments: [
        "evil.example", "127.0.0.2", "[::1]", "localhost.evil.example", "evil.localhost", "", ":80", "localhost..",
        "localhost:80@evil.example", "evil.example@localhost", "localhost:http", "localhost, evil.example", "[::a",
        "::a", "[127.0.0.1]", "xwfd.example", "wfd.example:443:443",
    ])
    func everyOtherHostIsRefused(host: String) throws {
        let refusal = try Self.gate.refusal(of: request(for: [host]))
        #expect(refusal?.type == .wrongHost)
        #expect(
            refusal?.detail
                == "The request is for host '\(host)'; this address answers for 127.0.0.1, [::a], localhost, "
                + "wfd.example, and for what 'wfd --allow-host NAME' adds")
    }

    /// A proxy that admits `/v1/verify` and not `/v1/backups` compares paths to the letter.
    @Test(arguments: ["//v1/verify", "/v1//verify", "/v1/verify//", "http://localhost//v1/verify", "/v1/a:///b?c"])
    func aPathWithAnEmptySegmentIsNoRoute(path: String) throws {
        var request = try self.request(for: ["localhost"])
        request.path = path
        let refusal = Self.gate.refusal(of: request)
        #expect(refusal?.type == .routeNotFound, "\(path)")
        #expect(refusal?.detail.hasSuffix(": a segment of its path is empty") == true)
    }

    @Test(arguments: ["/v1/verify?a=//", "http://localhost/v1/verify", "/", "*", "/v1/a:b"])
    func aPathWithoutOneIsLetIn(path: String) throws {
        var request = try self.request(for: ["localhost"])
        request.path = path
        #expect(Self.gate.refusal(of: request) == nil)
    }

    @Test func thereIsExactlyOneHost() throws {
        let rest =
            "; this address answers for 127.0.0.1, [::a], localhost, wfd.example, and for what "
            + "'wfd --allow-host NAME' adds"
        #expect(try Self.gate.refusal(of: request(for: []))?.detail == "The request has no Host" + rest)
        for hosts in [["localhost", "localhost"], ["localhost", "evil.example"], ["evil.example", "localhost"]] {
            let refusal = try Self.gate.refusal(of: request(for: hosts))
            #expect(refusal?.type == .wrongHost)
            #expect(refusal?.detail == "The request has more than one Host" + rest)
        }
    }

    @Test(arguments: [
        ("localhost:7777", "http://localhost:7777"), ("localhost:7777", "https://localhost"),
        ("wfd.example", "https://WFD.example"), ("[::a]:1", "http://[::a]:2"), ("127.0.0.1", "HTTP://127.0.0.1:3000"),
    ])
    func aPageOfThatHostIsLetIn(host: String, origin: String) throws {
        for site in ["same-origin", "none"] {
            let fields = [("Origin", origin), ("Sec-Fetch-Site", site)]
            #expect(try Self.gate.refusal(of: request(for: [host], fields)) == nil)
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "", "http://127.0.0.1", "http://localhost.evil.example", "ftp://localhost",
        "localhost", "http://localhost/", "http://evil.example@localhost", "http://localhost, http://evil.example",
        "file://",
    ])
    func aPageOfAnotherOriginIsRefused(origin: String) throws {
        let refusal = try Self.gate.refusal(of: request(for: ["localhost"], [("Origin", origin)]))
        #expect(refusal?.type == .crossSite)
        #expect(refusal?.detail == "A page of another origin, '\(origin)', may not use wfd")
    }

    @Test func ofSeveralOriginsEachMustBeOfThatHost() throws {
        let fields = [("Origin", "http://localhost"), ("Origin", "http://evil.example")]
        #expect(try Self.gate.refusal(of: request(for: ["localhost"], fields))?.type == .crossSite)
    }

    @Test(arguments: [
        ("cross-site", "cross-site"), ("same-site", "same-site"), ("Cross-Site", "cross-site"),
        ("same-origin, cross-site", "cross-site"), ("", ""), ("elsewhere", "elsewhere"), ("none,", ""),
    ])
    func whatTheBrowserCallsAnotherSiteIsRefusedOnEveryListener(site: String, name: String) throws {
        for gate in [Self.gate, Self.socket] {
            let refusal = try gate.refusal(of: request(for: ["localhost"], [("Sec-Fetch-Site", site)]))
            #expect(refusal?.type == .crossSite)
            #expect(refusal?.detail == "A page of another origin may not use wfd (Sec-Fetch-Site: \(name))")
        }
    }

    /// Clients without a host, and tunnels, send these values.
    @Test(arguments: [
        "", "localhost", "localhost:8080", "LocalHost.", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[0::1]:80", "wfd",
        "unix", "wfd.example", "WFD.example:443",
    ])
    func aSocketIsCalledByNamesOfItsOwn(host: String) throws {
        #expect(try Self.socket.refusal(of: request(for: [host])) == nil)
        #expect(try Self.socket.refusal(of: request(for: [])) == nil)
        for site in ["same-origin", "none"] {
            #expect(try Self.socket.refusal(of: request(for: [host], [("Sec-Fetch-Site", site)])) == nil)
        }
    }

    /// A page can make a name resolve to a socket that `ssh -L` forwards (DNS rebinding). Browsers send no `Origin`
    /// with a GET of the same origin.
    @Test(arguments: [
        "evil.example", "evil.example:8080", "wfd:8080", "unix:8080", "wfd.", "10.0.0.1", "[::2]", ":80", "localhost..",
    ])
    func aSocketIsNotReachedByAnotherName(host: String) throws {
        let refusal = try Self.socket.refusal(of: request(for: [host], [("Sec-Fetch-Site", "same-origin")]))
        #expect(refusal?.type == .wrongHost)
        #expect(
            refusal?.detail
                == "The request is for host '\(host)'; this address answers for 127.0.0.1, [::1], localhost, unix, "
                + "wfd, wfd.example, and for what 'wfd --allow-host NAME' adds")
        let second = try Self.socket.refusal(of: request(for: ["localhost", host]))
        #expect(second?.type == .wrongHost)
    }

    /// `ssh -L 8080:/run/wfd/wfd.sock` makes a web origin of a socket, and no page comes from there.
    @Test(arguments: [
        "https://evil.example", "null", "", "http://localhost:8080", "http://localhost", "http://localhost:3000",
    ])
    func aSocketTakesNoPage(origin: String) throws {
        let fields = [("Origin", origin), ("Sec-Fetch-Site", "same-origin")]
        let refusal = try Self.socket.refusal(of: request(for: ["localhost:8080"], fields))
        #expect(refusal?.type == .crossSite)
        #expect(refusal?.detail == "A page of another origin, '\(origin)', may not use wfd")
    }
}
