import Testing
import WorkflowJSON

@testable import WorkflowConsole  // The differences are a part of a page, and no other target has them.

/// Tests which places of a context differ, whatever its shape is.
@Suite struct ContextChangesTests {
    private static func changes(_ before: String, _ after: String) throws -> ContextChanges {
        let (before, after) = (try JSONReader.value(from: before), try JSONReader.value(from: after))
        return ContextChanges(from: try #require(before.object), to: try #require(after.object))
    }

    private static func told(_ before: String, _ after: String) throws -> [String] {
        try changes(before, after).differences.map { "\($0.change.rawValue) \($0.path)" }
    }

    @Test func eachPlaceIsNamedOnce() throws {
        #expect(try Self.told(#"{"a": 1}"#, #"{"a": 1}"#) == [])
        #expect(try Self.told("{}", #"{"a": {"b": [1, 2]}}"#) == ["added context.a"])
        #expect(try Self.told(#"{"a": {"b": [1, 2]}}"#, "{}") == ["removed context.a"])
        #expect(try Self.told(#"{"a": 1}"#, #"{"a": 1.0}"#) == ["changed context.a"])
        #expect(try Self.told(#"{"a": {"b": 1}}"#, #"{"a": [1]}"#) == ["changed context.a"])
        #expect(try Self.told(#"{"a": null}"#, "{}") == ["removed context.a"])
        #expect(
            try Self.told(#"{"a": [{"b": 1}, 2]}"#, #"{"a": [{"b": 2, "c": 3}]}"#)
                == ["changed context.a[0].b", "added context.a[0].c", "removed context.a[1]"])
        #expect(
            try Self.told(#"{"": 1, "a b": 1, "ü\"": 1}"#, "{}")
                == [#"removed context[""]"#, #"removed context["a b"]"#, #"removed context["ü\""]"#])
    }

    @Test func theRestOfTheContextStandsAroundTheChange() throws {
        let html = try Self.changes(#"{"a": {"b": 1, "c": 2}, "d": []}"#, #"{"a": {"b": 1, "c": 3}, "d": []}"#)
            .markup.html
        let lines = try #require(html.firstMatch(of: /<pre class="changes">(.*)<\/pre>/.dotMatchesNewlines())).1
        #expect(
            lines == """
                  {
                    &quot;a&quot;: {
                      &quot;b&quot;: 1,
                <span class="changed">~     &quot;c&quot;: 3</span>
                    },
                    &quot;d&quot;: []
                  }

                """)
    }

    @Test func aLargeContextIsCutAndItsChangesAreCounted() throws {
        let members = (0..<60).map { "\"k\($0)\": \"\(String(repeating: "x", count: 2_000))\"" }
        let after = "{\(members.joined(separator: ","))}"
        let html = try Self.changes("{}", after).markup.html
        #expect(html.contains("and 10 more") && html.contains("The rest is left out here"))
        #expect(html.utf8.count < 100_000)
    }
}
