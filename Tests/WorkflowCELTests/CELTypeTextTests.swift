import Testing
import WorkflowCEL

@Suite struct CELTypeTextTests {
    @Test(arguments: [
        "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration", "null", "dyn", "type",
        "list(string)", "list(list(int))", "map(string, int)", "map(int, list(map(bool, dyn)))", "optional(double)",
    ])
    func aTypeIsWrittenAsItIsRead(text: String) {
        #expect(CELType(parsing: text)?.description == text)
    }

    @Test(arguments: [
        (" list( string ) ", "list(string)"), ("map(string,int)", "map(string, int)"), ("list", "list(dyn)"),
        ("map", "map(dyn, dyn)"), ("null_type", "null"),
    ])
    func spacesDoNotCount(text: String, type: String) {
        #expect(CELType(parsing: text)?.description == type)
    }

    @Test(arguments: [
        "", "strin", "list(", "list()", "list(string", "list(string))", "map(string)", "map(double, int)", "string?",
        "Int",
        "map(string, int,)", String(repeating: "list(", count: 1000),
    ])
    func anythingElseIsNoType(text: String) {
        #expect(CELType(parsing: text) == nil)
    }
}
