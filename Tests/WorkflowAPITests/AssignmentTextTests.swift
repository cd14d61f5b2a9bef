import Testing
import WorkflowAPI

@Suite struct AssignmentTextTests {
    @Test(arguments: [
        ("a=1", "a", "1"), (" a.b = \"x=y\" ", "a.b", "\"x=y\""), ("m[\"a=b\"]=7", "m[\"a=b\"]", "7"),
        ("list[0]=[1]", "list[0]", "[1]"), ("é\u{301}=ü", "é\u{301}", "ü"), ("a==b", "a", "=b"),
    ])
    func aTextIsSplitAtItsSign(text: String, left: String, right: String) throws {
        let parts = try #require(AssignmentText(text))
        #expect(parts.left == left && parts.right == right)
    }

    @Test(arguments: ["", "a", "=", "=1", "a=", " = ", "a[b=c", "[=]"])
    func aTextWithoutBothSidesIsNone(text: String) {
        #expect(AssignmentText(text) == nil)
    }
}
