import Foundation
import Testing
import WorkflowClient

/// Tests what a client sends of its token, and what it shows.
struct ClientAccessTests {
    @Test func whatIsShownHasNoToken() throws {
        let access = try ClientAccess(token: " wfdt_a_secret\n")
        var dumped = ""
        dump(access, to: &dumped)
        for text in ["\(access)", String(reflecting: access), dumped] {
            #expect(!text.contains("secret") && text.contains("hasToken"), "\(text)")
        }
    }

    @Test(arguments: ["", " \n", "a b", "a\r\nHost: b", "ä", String(repeating: "a", count: 4_097)])
    func whatIsNoTokenIsRefused(token: String) {
        let error = #expect(throws: ClientAccessError.self) { try ClientAccess(token: token) }
        #expect(error?.description == "Cannot use the token: it is empty, or has characters that no token has")
    }

    @Test func aFileWithoutCertificatesIsRefused() {
        let error = #expect(throws: ClientAccessError.self) { try ClientAccess(token: nil, authorities: "/dev/null") }
        #expect(
            error?.description == "Cannot use the authorities in '/dev/null': the file has no certificates in PEM")
    }

    @Test(arguments: ["http://a.example:1", "http://127.0.0.1.example:1", "http://128.0.0.1:1", "http://[::2]:1"])
    func aTokenIsSentInTheClearToNobodyElse(address: String) throws {
        let error = #expect(throws: ClientError.self) {
            try WorkflowClient(address: Address(address), access: ClientAccess(token: "a"))
        }
        #expect(
            error?.description
                == "Cannot send a token to '\(address)': everybody on the way could read it; use https://")
    }

    @Test(arguments: ["https://a.example", "http://127.1.2.3:1", "http://[::1]:1", "localhost:1", "unix:/a"])
    func aTokenIsSentWhereNobodyReadsIt(address: String) async throws {
        await (try WorkflowClient(address: Address(address), access: ClientAccess(token: "a"))).shutdown()
    }
}
