import Testing
import WorkflowAPI

/// Tests the header `Prefer` (RFC 7240): unknown and malformed preferences are ignored.
@Suite struct PreferencesTests {
    @Test(arguments: [
        "return=minimal", "return=\"minimal\"", "Return = Minimal", "return=minimal; a=b", "return=minimal;",
        "a, return=minimal", "respond-async, wait=10, return=minimal", ";,return=minimal", ",,return=minimal,,",
        "a=\"b, c\", return=minimal", "a=\"\\\"\", return=minimal", "=,return=minimal", "return,return=minimal",
        "\treturn=minimal\t",
    ])
    func aMinimalAnswerIsPreferred(header: String) {
        #expect(Preferences(header).isMinimal)
    }

    @Test(arguments: [
        "", ";", ",", "=", "\"", ";;", ";=", "return", "return=", "return=;", "return;minimal", "minimal",
        "return=representation", "return=representation, return=minimal", "returns=minimal", "return=minimal=a",
        "return==minimal", "return=\"minimal", "a=\", return=minimal", "a=\"\\", "a;return=minimal",
        "a=\"b, return=minimal\"", "return=min\"imal\"", "é", "\u{0}",
    ])
    func allElseIsIgnored(header: String) {
        #expect(!Preferences(header).isMinimal)
    }
}
