import NIOSSL
import Statechart
import Testing

@testable import WorkflowEffects

/// Tests the addresses that may be called.
struct AddressTests {
    @Test func whatIsNotPublicIsRefused() throws {
        let rules = AddressRules(allowed: [])
        for text in [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.1.1.1",
            "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
            "64:ff9b::7f00:1", "2001::1", "2001:db8::1", "2002:7f00:1::", "fc00::1", "fd12:3456::1", "fe80::1",
            "fec0::1", "ff02::1", "::ffff:0:7f00:1", "::ffff:0:808:808",
        ] {
            #expect(!rules.allows(try #require(IPAddress(text)), port: 443), "\(text)")
        }
        for text in ["8.8.8.8", "1.0.0.1", "11.0.0.0", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00::1"] {
            #expect(rules.allows(try #require(IPAddress(text)), port: 443), "\(text)")
        }
    }

    @Test func whatTheOperatorNamesIsAllowed() throws {
        let rules = AddressRules(
            allowed: try ["10.1.0.0/16", "::1", "127.0.0.1"].map { try #require(AddressRange($0)) })
        for text in ["10.1.0.0", "10.1.255.255", "::1", "127.0.0.1"] {
            #expect(rules.allows(try #require(IPAddress(text)), port: 443), "\(text)")
        }
        for text in ["10.2.0.0", "10.0.255.255", "::2", "127.0.0.2"] {
            #expect(!rules.allows(try #require(IPAddress(text)), port: 443), "\(text)")
        }
    }

    @Test func aRangeMayNameAPort() throws {
        let rules = AddressRules(
            allowed: try ["127.0.0.1:8402", "[::1]:8402", "10.0.0.0/8:443"].map { try #require(AddressRange($0)) })
        for (text, port) in [("127.0.0.1", 8_402), ("::1", 8_402), ("10.9.9.9", 443)] {
            let address = try #require(IPAddress(text))
            #expect(rules.allows(address, port: port) && !rules.allows(address, port: port + 1), "\(text)")
        }
        #expect(!rules.allows(try #require(IPAddress("127.0.0.2")), port: 8_402))
        for text in ["1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:+1", "1.2.3.4:a", "[::1]", "host:80", ":80"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }

    @Test func whatLeadsToThisMachineIsKnown() throws {
        for text in ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "::ffff:0.0.0.0"] {
            #expect(AddressRules.isLocal(try #require(IPAddress(text))), "\(text)")
        }
        for text in ["10.0.0.1", "0.0.0.1", "::2", "::ffff:10.0.0.1", "8.8.8.8"] {
            #expect(!AddressRules.isLocal(try #require(IPAddress(text))), "\(text)")
        }
    }

    /// Older versions are broken (RFC 8996).
    @Test func callsSpeakTLS12AtLeast() throws {
        #expect(try HTTPClients.configuration(authority: nil).minimumTLSVersion == .tlsv12)
    }

    @Test(arguments: ["", "10", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.1/8", "host/8", "::/129", "::/٨"])
    func whatIsNoRangeIsRefused(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func originsAreCompared() {
        #expect(HTTPOrigin("https://Pay.example.com") == HTTPOrigin("https://pay.example.com:443/"))
        #expect(HTTPOrigin("https://pay.example.com") != HTTPOrigin("http://pay.example.com:443"))
        #expect(HTTPOrigin("https://pay.example.com:8443") != HTTPOrigin("https://pay.example.com"))
        // A path would promise what is not held.
        for text in ["", "pay.example.com", "ftp://pay.example.com", "https://", "https://pay.example.com/v1"] {
            #expect(HTTPOrigin(text) == nil, "\(text)")
        }
    }
}
