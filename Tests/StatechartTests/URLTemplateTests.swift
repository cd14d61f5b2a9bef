import Statechart
import Testing

/// Tests URLs of definitions: the allowed texts, and the allowed values of expressions in them.
@Suite struct URLTemplateTests {
    @Test(
        arguments: [
            ("https://a.example/v1/{x}", ["b c/d?é"], "https://a.example/v1/b%20c%2Fd%3F%C3%A9"),
            ("https://a.example/{x}-{y}.json", ["1", "2"], "https://a.example/1-2.json"),
            ("http://A.Example:8080", [], "http://a.example:8080/"),
            ("https://a.example:443/x?y={x}&z=1", ["1&2"], "https://a.example/x?y=1%262&z=1"),
            ("https://a.example?q={x}", [""], "https://a.example/?q="),
            ("http://[2001:DB8::1]:80/{x}", ["a"], "http://[2001:db8::1]/a"),
            ("https://a.example//x/", [], "https://a.example//x/"),
            ("https://a.example/.{x}", ["b"], "https://a.example/.b"),
            ("https://a.example/{ {'a': '}'}['a'] }/{\"{\"}", ["%", "..."], "https://a.example/%25/..."),
        ] as [(String, [String], String)])
    func valuesAreSegments(url: String, values: [String], text: String) throws {
        let template = try URLTemplate(url)
        let filled = try template.filled(with: values)
        #expect(filled.text == text)
        // Read again it is the same, and goes to the same place.
        #expect(try RequestURL(filled.text) == filled && filled.origin == template.origin)
    }

    @Test func placesSayWhereTheyStand() throws {
        let places = try URLTemplate("https://a.example/{context.id}/{ 'ü{' }").places
        #expect(places.map(\.expression) == ["context.id", " 'ü{' "] && places.map(\.offset) == [19, 32])
    }

    private static let decoded = "'{x}' makes a segment of the url that has '.' or '..' when it is decoded"

    /// Names with dots, slashes and percent signs lead nowhere else.
    @Test(arguments: ["a/b", "...", "..a", "a..b", "100%", "%2", "%zz", "a;b", "v1.2/x", "%2f", ".%2"])
    func aValueMayLookLikeAPath(value: String) throws {
        #expect(throws: Never.self) { try URLTemplate("https://a/{x}").filled(with: [value]) }
    }

    @Test(
        arguments: [
            ("https://a/{x}", [""], "'{x}' makes an empty segment of the url"),
            ("https://a/{x}/b", ["."], "'{x}' makes the segment '.' or '..' of the url"),
            ("https://a/b/{x}", [".."], "'{x}' makes the segment '.' or '..' of the url"),
            ("https://a/.{x}?y", ["."], "'{x}' makes the segment '.' or '..' of the url"),
            ("https://a/%2e{x}", ["."], "'{x}' makes the segment '.' or '..' of the url"),
            ("https://a/{x}", ["../b"], decoded), ("https://a/{x}", ["a/../b"], decoded),
            ("https://a/{x}", ["a\\.."], decoded), ("https://a/{x}", ["%2e%2E"], decoded),
            ("https://a/{x}", ["%252e%25252e%2fb"], decoded), ("https://a/{x}", ["%%32%65."], decoded),
            ("https://a/{x}", ["a/./b"], decoded), ("https://a/{x}", ["..;v=1"], decoded),
            ("https://a/b{x}", ["/.."], decoded), ("https://a/%252e{x}", ["."], decoded),
            ("https://a/{x}{y}", ["", ""], "'{x}' and '{y}' make an empty segment of the url"),
            ("https://a/{x}", [String(repeating: "é", count: 2_000)], "a url has at most 8192 bytes"),
        ] as [(String, [String], String)])
    func aValueLeadsNowhereElse(url: String, values: [String], message: String) throws {
        let template = try URLTemplate(url)
        #expect { try template.filled(with: values) } throws: { ($0 as? URLMistake)?.message == message }
    }

    private static let origin =
        "a url has no expression in its scheme, host or port; a url that is an expression as a whole can compute them"
    private static let host =
        "the host of a url is letters, digits, '.', '-' and '_', or an address of IPv6 in brackets"

    @Test(
        arguments: [
            ("https://a/{context.id", 10, "'{context.id' is not closed"),
            ("https://a/x}", 11, "'}' in a url closes nothing; write it '%7D'"),
            ("https://a/{'}", 10, "'{'}' is not closed"),
            ("https://{x}/", 0, origin), ("https://a.{x}", 0, origin), ("https://a:{x}/", 0, origin),
            ("https://me:secret@a/", 0, "a url has no user and no password; 'secretHeaders' can give 'Authorization'"),
            ("https:///x", 0, "a url needs a host: https://HOST/PATH"),
            ("http://?x", 0, "a url needs a host: https://HOST/PATH"),
            ("https://a..b/", 0, host), ("https://a b/", 0, host), ("https://é/", 0, host), ("https://[::1/", 0, host),
            ("https://[1]/", 0, host), ("https://a\\b/", 0, host),
            ("https://a:0/", 0, "the port of a url is a number from 1 to 65535"),
            ("https://a:65536/", 0, "the port of a url is a number from 1 to 65535"),
            ("https://a:/", 0, "the port of a url is a number from 1 to 65535"),
            ("https://a/x#y", 0, "a url has no '#': what follows it is never sent"),
            ("https://a/%4", 0, "'%' in a url has two hexadecimal digits behind it"),
            ("https://a/%{x}", 0, "'%' in a url has two hexadecimal digits behind it"),
            ("https://a/x y", 0, "a character of the url must be written such as '%20'"),
            ("https://a/é", 0, "a character of the url must be written such as '%20'"),
            ("https://a/x\\y", 0, "a character of the url must be written such as '%20'"),
            ("https://a/../x", 0, "a url has no segments '.' and '..'"),
            ("https://a/x/%2E%2e", 0, "a url has no segments '.' and '..'"),
            ("https://a/.?x", 0, "a url has no segments '.' and '..'"),
            ("ftp://a/", 0, "a url begins with http:// or https://"),
        ] as [(String, Int, String)])
    func mistakesOfADefinition(url: String, offset: Int, message: String) {
        #expect { try URLTemplate(url) } throws: {
            ($0 as? URLMistake)?.message == message && ($0 as? URLMistake)?.offset == offset
        }
    }

    @Test(arguments: [
        ("https://a.example:8443/x", "http:a.example:8443"), ("http://A.example", "http:a.example:80"),
        ("https://[::1]/", "http:[::1]:443"),
    ])
    func aQueueIsAnOrigin(url: String, queue: String) throws {
        #expect(try RequestURL(url).origin.queue == queue)
    }
}

/// Tests headers, secrets in them, and arguments of programs.
@Suite struct HeaderCheckTests {
    @Test(
        arguments: [
            ("X-Request", nil), ("Content-Type", nil), ("X y", "header 'X y' is no header name"),
            ("", "header '' is no header name"), ("X:", "header 'X:' is no header name"),
            ("é", "header 'é' is no header name"),
            ("Host", "'Host' is set by wfd"), ("content-length", "'content-length' is set by wfd"),
            ("TRANSFER-ENCODING", "'TRANSFER-ENCODING' is set by wfd"),
            ("Idempotency-Key", "'Idempotency-Key' is set by wfd"),
            ("traceparent", "'traceparent' is set by wfd"), ("Webhook-Signature", "'Webhook-Signature' is set by wfd"),
        ] as [(String, String?)])
    func names(name: String, message: String?) {
        #expect(HeaderCheck.mistake(inName: name) == message)
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nb", "a\u{0}b", "\u{7F}", "\u{1B}[1m"])
    func valuesHaveNoLines(value: String) {
        #expect(
            HeaderCheck.mistake(inValue: value, of: "X") == "header 'X' has a line break or another control character")
    }

    @Test func valuesHaveAnythingElse() {
        #expect(HeaderCheck.mistake(inValue: "a\tb, \"é\" {x}", of: "X") == nil)
    }

    @Test func secretsStandInBraces() throws {
        let text = try SecretText("Bearer {pay_token}, {b.2}")
        #expect(text.pieces == [.text("Bearer "), .secret("pay_token"), .text(", "), .secret("b.2")])
        #expect(text.secrets == ["pay_token", "b.2"])
        for (text, message) in [
            ("é{pay", "'{pay' is not closed"), ("é{../x}", "'../x' cannot be the name of a secret"),
            ("é{}", "'' cannot be the name of a secret"),
        ] {
            #expect { try SecretText(text) } throws: { ($0 as? URLMistake)?.message == message }
        }
    }

    private typealias Argument = ArgumentCheck.Argument

    @Test func computedArgumentsAreNoOptions() {
        func mistake(_ arguments: (String, Bool)...) -> String? {
            ArgumentCheck.mistake(in: arguments.map { Argument($0.0, isLiteral: $0.1) })
        }
        let message = "argument 2 is computed and begins with '-'; write '--' before it"
        #expect(mistake(("-v", true), ("x", false)) == nil)
        #expect(mistake(("-v", true), ("-x", false)) == message)
        #expect(mistake(("--", true), ("-x", false)) == nil)
        // A computed '--' does not end the options.
        #expect(mistake(("x", false), ("--", false), ("-x", false)) == message)
        #expect(mistake(("a\u{0}", true)) == "argument 1 has a NUL")
        #expect(
            mistake((String(repeating: "a", count: 131_072), true)) == "the arguments are longer than 131072 bytes")
    }
}
