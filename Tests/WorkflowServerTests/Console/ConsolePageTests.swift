import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer

/// Tests what the pages show to each role, and that nothing that anybody wrote becomes a part of the page itself.
@Suite(.timeLimit(.minutes(20))) struct ConsolePageTests {
    /// Texts that would run, or end a text, an attribute or an element, somewhere.
    private static let payloads = [
        "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>", "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>",
        "\" onfocus=alert(1) autofocus x=\"", "' onmouseover='alert(1)", "javascript:alert(1)",
        "</title><script>alert(1)</script>", "</textarea><script>alert(1)</script>", "</pre><script>alert(1)</script>",
        "</style><script>alert(1)</script>", "<!--<script>alert(1)//-->", "--><script>alert(1)</script>",
        "<![CDATA[<script>alert(1)</script>]]>", "<iframe src=javascript:alert(1)>", "<a href=//evil.example>x</a>",
        "<base href=//evil.example>", "<meta http-equiv=refresh content=0;url=//evil.example>",
        "<link rel=stylesheet href=//evil.example>", "<form action=//evil.example><input type=submit>",
        "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">", "<object data=//evil.example>",
        "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "<\u{200B}script>", "\u{202E}<b>\u{202C}",
        "<scr\u{301}ipt>", "\"\u{301}><b>", "${alert(1)} {{7*7}} <%= 7 %>", "//evil.example/%2e%2e/",
    ]

    static let all = payloads.joined(separator: " ")

    /// Returns a piece of JSON as text.
    static func json(_ value: JSONValue) -> String { JSONWriter.string(value) }

    private static var text: JSONValue { .string(all) }

    /// The machine: what it says of itself, and an event whose guard fails with all of it.
    private static var definition: String {
        let literal = all.unicodeScalars.filter { $0 != "\"" && $0 != "\\" }.map(String.init).joined()
        let failing = "int(\"\(literal)\") > 0"
        return """
            {"id": "m", "description": \(json(text)), "initial": "a", "context": {"note": \(json(text))},
             "states": {"a": {"on": {"go": {"guard": \(json(.string(failing)))}, "take": {"target": "b"}, "boom": "c",
                 "never": {"guard": \(json(.string("context.note == \"\(literal)!\""))), "target": "b"}},
               "after": {"30d": "b"}},
              "c": {"after": {"1ms": {"guard": \(json(.string(failing))), "target": "b"}}},
              "b": {"invoke": {"task": "q"}, "on": {"on": {}}}}}
            """
    }

    private static let pages = [
        "/console/", "/console/machines", "/console/machines/m", "/console/machines/m?version=1", "/console/instances",
        "/console/instances?status=failed", "/console/instances/x", "/console/instances/x?seq=1",
        "/console/instances/y", "/console/instances/y?seq=2", "/console/instances/z", "/console/effects",
        "/console/queues", "/console/queues/task%3Aq", "/console/runs", "/console/runs/r?outcome=passedOver",
        "/console/runs/r", "/console/activity",
    ]

    /// Fills a host: a failed instance, one with a failed task, a run, and reasons.
    private func fill(_ host: ConsoleHost) async throws -> String {
        let admin = try host.token("admin", [.admin], speaksFor: true)
        let text = Self.json(Self.text)
        let person = "\" onfocus='alert"
        func ask(_ target: String, _ body: String) async throws -> RawAnswer {
            let headers = [("Authorization", "Bearer \(admin)"), ("Wfd-On-Behalf-Of", person)]
            let answer = try await host.server.answer(to: .post(target, body, headers: headers))
            #expect((200..<300).contains(answer.status), "\(target) \(answer.text)")
            return answer
        }
        _ = try await ask("/v1/machines", Self.definition)
        for name in ["x", "y", "z", "-x"] {
            _ = try await ask("/v1/instances", #"{"machine": "m", "instance": "\#(name)"}"#)
        }
        let data = Self.json(.object([Self.all: Self.text]))
        _ = try await ask("/v1/instances/y/events", #"{"event": "take", "data": \#(data)}"#)
        _ = try await ask("/v1/instances/x/events", #"{"event": "boom", "data": \#(data)}"#)
        // The timer fails, and its row is the third.
        var wait = RawRequest.get("/v1/instances/x/history?after=2&wait=60")
        wait.headers.append(("Authorization", "Bearer \(admin)"))
        #expect(try await host.server.answer(to: wait).text.contains("\"kind\":\"failed\""))
        let leased = try await ask("/v1/tasks/q/lease", #"{"worker": \#(Self.json("w<b>\"'"))}"#)
        let words = leased.text.split(separator: "\"")
        let task = try #require(words.firstIndex(of: "task").map { words[$0 + 2] })
        _ = try await ask("/v1/tasks/\(task)/heartbeat", #"{"progress": \#(text)}"#)
        let message = Self.json(.string(String(Self.all.unicodeScalars.prefix(600))))
        _ = try await ask(
            "/v1/tasks/\(task)/fail", #"{"type": "t", "message": \#(message), "details": \#(data)}"#)
        let reason = Self.json(.string(String(Self.all.unicodeScalars.prefix(700))))
        _ = try await ask("/v1/instances/z/suspend", #"{"reason": \#(reason)}"#)
        _ = try await ask("/v1/machines/m/suspend", #"{"reason": \#(reason)}"#)
        let select = #"{"machine": "m", "failure": \#(message)}"#
        _ = try await ask(
            "/v1/bulk", #"{"run": "r", "action": {"verb": "cancel"}, "select": \#(select), "reason": \#(reason)}"#)
        return admin
    }

    /// Returns what is wrong with a page: every tag must be one of ours, with values in quotes, and closed in its turn.
    static func mistakes(in page: String) -> [String] {
        var rest = page[...]
        var open: [String] = []
        var mistakes: [String] = []
        if let end = rest.firstRange(of: "<!DOCTYPE html>\n") { rest = rest[end.upperBound...] }
        while let start = rest.firstIndex(where: { $0 == "<" || $0 == ">" }) {
            rest = rest[start...]
            guard let tag = rest.prefixMatch(of: /<(\/?)([a-z0-9]+)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)(\/?)>/) else {
                mistakes.append("no tag of ours: \(rest.prefix(60))")
                rest = rest.dropFirst()
                continue
            }
            let (name, attributes) = (String(tag.2), tag.3)
            if name == "script", tag.1.isEmpty, !rest.hasPrefix(Self.script) { mistakes.append("\(rest.prefix(60))") }
            if !Self.tags.contains(name) { mistakes.append("<\(name)>") }
            for attribute in attributes.matches(of: /\ ([a-zA-Z-]+)(?:="([^"]*)")?/) {
                if !Self.attributes.contains(String(attribute.1)) { mistakes.append("\(attribute.0)") }
                let isAddress = ["href", "action", "src", "data-stream"].contains(attribute.1)
                let value = attribute.2 ?? ""
                let isHere = value == "#content" || value.wholeMatch(of: /#L\d+/) != nil
                if isAddress, !value.hasPrefix("/console/"), !isHere { mistakes.append("\(attribute.0)") }
            }
            if tag.1 == "/" {
                if open.popLast() != name { mistakes.append("</\(name)>") }
            } else if tag.4.isEmpty, !["input", "link", "meta"].contains(name) {
                open.append(name)
            }
            rest = rest[tag.range.upperBound...]
        }
        return mistakes + open
    }

    private static let tags: Set = [
        "a", "b", "body", "button", "caption", "code", "dd", "details", "dialog", "div", "dl", "dt", "form", "h1", "h2",
        "head", "header", "html", "input", "label", "li", "link", "main", "meta", "nav", "ol", "option", "p", "pre",
        "progress", "script", "section", "select", "span", "strong", "summary", "table", "tbody", "td", "textarea",
        "th", "thead", "time", "title", "tr", "ul",
        // The drawing's.
        "circle", "desc", "g", "path", "rect", "svg", "text",
    ]

    /// The one script: a file, without a text.
    private static let script = "<script type=\"module\" src=\"/console/assets/console-"

    private static let attributes: Set = [
        "action", "aria-current", "aria-describedby", "aria-invalid", "aria-label", "aria-labelledby", "autocomplete",
        "charset", "checked", "class", "content", "data-active", "data-drawing", "data-due", "data-newest", "data-part",
        "data-seq", "data-stream", "data-taken", "data-wind", "datetime", "disabled", "for", "href", "id", "max", "min",
        "rows", "src",
        "lang", "method", "name", "placeholder", "rel", "required", "role", "scope",
        "selected", "tabindex", "type", "value",
        // The drawing's.
        "cx", "cy", "d", "data-lines", "data-source", "data-state", "data-target", "data-transitions", "font-family",
        "font-size", "font-weight", "height", "r", "rx", "text-anchor", "viewBox", "width", "x", "xmlns", "y",
    ]

    @Test func nothingThatAnybodyWroteBecomesMarkup() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(fill(host))
        let query = Self.all.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let asked = ["machine", "state", "failure", "page", "olderThan", "sort", query].map {
            "/console/instances?\($0)=\(query)"
        }
        let places = [
            "/console/instances/\(query)", "/console/machines/\(query)", "/console/runs/\(query)", "/console/\(query)",
            "/console/activity?actor=\(query)", "/console/activity?action=\(query)", "/console/effects?queue=\(query)",
            "/console/effects?instance=\(query)", "/console/instances/x?seq=\(query)", "/console/?code=\(query)",
            "/console/machines/m?version=\(query)", "/console/instances/x?page=\(query)",
        ]
        var texts = ""
        for target in Self.pages + asked + places {
            for cookie in [cookie, nil] {
                let page = try await host.get(target, cookie)
                if cookie != nil, Self.pages.contains(target) { #expect(page.status == 200, "\(target) \(page.text)") }
                #expect(page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(Self.mistakes(in: page.text) == [], "\(target)")
                #expect(!page.text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200B}" }, "\(target)")
                texts += page.text
            }
        }
        // The payloads did arrive.
        #expect(texts.contains("&lt;img src=x onerror=alert(1)&gt;"))
        for word in ["Why it failed", "t: &lt;script&gt;", "token:admin(&quot; onfocus=&#39;alert)", "U+202E"] {
            #expect(texts.contains(word), "\(word)")
        }
        try await host.server.stop()
    }

    @Test func eachRoleSeesWhatItMay() async throws {
        let host = try await ConsoleHost()
        _ = try await fill(host)
        for role in Role.allCases {
            let cookie = try await host.session(host.token("r-\(role.rawValue)", [role]))
            for target in Self.pages {
                let page = try await host.get(target, cookie)
                let mayRead = role.permissions.contains(.read)
                if target == "/console/" {
                    #expect(page.status == 200, "\(role)")
                    #expect(page.text.contains("Instances by machine and status") == mayRead, "\(role)")
                } else {
                    #expect(page.status == (mayRead ? 200 : 403), "\(role) \(target)")
                }
                #expect(page.text.contains("that needs &#39;read&#39;, which") == !mayRead, "\(role) \(target)")
                #expect(page.text.contains("--role view&#39; makes a token that may.") == !mayRead)
                #expect(page.text.contains("token:r-\(role.rawValue) · \(role.rawValue)"))
            }
        }
        try await host.server.stop()
    }

    @Test func eachPageSaysTheCommandThatShowsTheSame() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(fill(host))
        for (target, line) in [
            ("/console/", "wfctl status"), ("/console/machines", "wfctl machines"),
            ("/console/machines/m", "wfctl machine show m"), ("/console/instances", "wfctl list"),
            (
                "/console/instances?machine=m&status=failed&state=a&olderThan=1s&failure=it%27s&sort=age",
                "wfctl list --machine m --status failed --state a --older-than 1s --failure "
                    + "&#39;it&#39;\\&#39;&#39;s&#39; --sort age"
            ),
            ("/console/instances?prefix=x&where=false", "wfctl list --prefix x --where false"),
            ("/console/instances/y", "wfctl show y"), ("/console/instances/-x", "wfctl show -- -x"),
            ("/console/instances/y?seq=2", "wfctl replay --trace --from 2 --to 2 y"),
            ("/console/effects?queue=task%3Aq", "wfctl effects --queue task:q"), ("/console/queues", "wfctl queues"),
            ("/console/runs", "wfctl bulk list"), ("/console/runs/r", "wfctl bulk show r"),
            ("/console/activity?action=apply", "wfctl audit --action apply"),
        ] {
            let page = try await host.get(target, cookie)
            #expect(page.status == 200 && page.text.contains("<code>\(line)</code>"), "\(target)")
        }
        try await host.server.stop()
    }

    @Test func anEmptyDaemonSaysWhatToDoFirst() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        for (target, words) in [
            ("/console/", "wfctl apply order.yaml"), ("/console/machines", "wfctl apply order.yaml"),
            ("/console/instances", "wfctl start order order-1"), ("/console/effects", "No effect is open"),
            ("/console/queues", "There is no queue yet"), ("/console/runs", "wfctl retry --machine order --dry-run"),
        ] {
            let page = try await host.get(target, cookie)
            #expect(page.status == 200 && page.text.contains(words), "\(target)")
        }
        let missing = try await host.get("/console/instances/none", cookie)
        #expect(missing.status == 404 && missing.text.contains("There is no instance &#39;none&#39;"))
        try await host.server.stop()
    }

    @Test func theInstancePageTellsWhatWhyAndWhen() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(fill(host))
        let failed = try await host.get("/console/instances/x", cookie).text
        for words in ["Why it failed", "Expression", "The moment before", "wfctl retry x", "What it waits for"] {
            #expect(failed.contains(words), "\(words)")
        }
        let waiting = try await host.get("/console/instances/y", cookie).text
        #expect(waiting.contains("Attempts that failed") && waiting.contains("task:q"))
        #expect(waiting.contains("taken in <code>a</code>") && waiting.contains("Its machine is suspended: until"))
        let past = try await host.get("/console/instances/y?seq=1", cookie).text
        #expect(past.contains("This is how it was after seq 1 of ") && past.contains("aria-current=\"page\">1</a>"))
        try await host.server.stop()
    }
}
