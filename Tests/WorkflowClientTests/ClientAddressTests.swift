import Testing
import WorkflowClient

struct ClientAddressTests {
    @Test(arguments: [
        ("unix:/run/wfd/wfd.sock", Address.unix(path: "/run/wfd/wfd.sock"), "unix:/run/wfd/wfd.sock"),
        ("unix:wfd.sock", .unix(path: "wfd.sock"), "unix:wfd.sock"),
        ("http://localhost:8080", .tcp(host: "localhost", port: 8080), "http://localhost:8080"),
        ("http://127.0.0.1:8080/", .tcp(host: "127.0.0.1", port: 8080), "http://127.0.0.1:8080"),
        ("127.0.0.1:1", .tcp(host: "127.0.0.1", port: 1), "http://127.0.0.1:1"),
        ("[::1]:65535", .tcp(host: "::1", port: 65535), "http://[::1]:65535"),
        ("https://wfd.example:7433", .tls(host: "wfd.example", port: 7433), "https://wfd.example:7433"),
        ("https://wfd.example/", .tls(host: "wfd.example", port: 443), "https://wfd.example:443"),
        ("https://[::1]", .tls(host: "::1", port: 443), "https://[::1]:443"),
        ("https://[::1]:7433", .tls(host: "::1", port: 7433), "https://[::1]:7433"),
    ])
    func addressesAreRead(text: String, address: Address, description: String) throws {
        #expect(try Address(text) == address)
        #expect("\(address)" == description)
    }

    @Test(arguments: [
        ("", "expected unix:PATH, https://HOST[:PORT], http://HOST:PORT or HOST:PORT"),
        ("localhost", "expected unix:PATH, https://HOST[:PORT], http://HOST:PORT or HOST:PORT"),
        ("unix:", "the path after 'unix:' is empty"),
        ("unix:/" + String(repeating: "x", count: 107), "a socket's path has at most 107 bytes"),
        ("https://", "'' is not the name or the address of a host"),
        ("https://a:x", "the port must be a number from 1 to 65535"),
        ("https://user@a", "'user@a' is not the name or the address of a host"),
        ("localhost:0", "the port must be a number from 1 to 65535"),
        ("localhost:65536", "the port must be a number from 1 to 65535"),
        ("localhost:http", "the port must be a number from 1 to 65535"),
        ("http://localhost:80/v1", "the port must be a number from 1 to 65535"),
        (":80", "'' is not the name or the address of a host"),
        ("::1:80", "'::1' is not the name or the address of a host"),
        ("[x]:80", "'[x]' is not an IPv6 address"),
        ("a b:80", "'a b' is not the name or the address of a host"),
    ])
    func otherTextsNameNoDaemon(text: String, reason: String) {
        let error = #expect(throws: AddressError.self) { try Address(text) }
        #expect(error?.description == "Cannot use the address '\(text)': \(reason)")
    }
}
