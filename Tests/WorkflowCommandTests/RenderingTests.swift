import Testing
import WorkflowAPI
import WorkflowClientTesting
import WorkflowCommand
import WorkflowJSON

struct RenderingTests {
    /// A value whose fields are not in the order of their names.
    private struct Sentence: JSONWritable {
        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("zeta", "a \"quoted\" \\ {,:[]}")
                writer.field("alpha", [1, 2] as [Int])
                writer.field("empty", JSONObject())
                writer.field("none", [] as [Int])
                writer.field("nested", ["x": ["y": [.null, true, 1.5]]] as JSONValue)
            }
        }
    }

    @Test func indentedJSONKeepsTheOrder() {
        #expect(
            IndentedJSON.text(of: Sentence()) == #"""
                {
                  "zeta": "a \"quoted\" \\ {,:[]}",
                  "alpha": [
                    1,
                    2
                  ],
                  "empty": {},
                  "none": [],
                  "nested": {
                    "x": {
                      "y": [
                        null,
                        true,
                        1.5
                      ]
                    }
                  }
                }
                """#)
    }

    @Test func yamlKeepsTheOrder() throws {
        #expect(
            try YAMLText.of(Sentence()) == #"""
                zeta: a "quoted" \ {,:[]}
                alpha:
                - 1
                - 2
                empty: {}
                none: []
                nested:
                  x:
                    "y":
                    - null
                    - true
                    - 1.5

                """#)
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", "two words"), ("a.b-c_d", "a.b-c_d"), ("é", "é"),
        ("", #""""#), ("true", #""true""#), ("No", #""No""#), ("on", #""on""#), ("null", #""null""#), ("~", #""~""#),
        ("1", #""1""#), ("1.5", #""1.5""#), ("1:30", #""1:30""#), ("2026-07-31", #""2026-07-31""#),
        ("0x1F", #""0x1F""#), (".inf", #"".inf""#), ("- a", #""- a""#), ("# a", ##""# a""##), ("*", #""*""#),
        ("a: b", "'a: b'"), ("a #b", "'a #b'"), ("a ", "'a '"), ("\u{7F}\u{85}", #""\x7F\N""#),
        ("😀", #""\U0001F600""#),
    ])
    func stringsStayStringsInYAML(string: String, text: String) throws {
        #expect(try YAMLText.of(["x": .string(string)] as JSONValue) == "x: \(text)\n")
    }

    @Test func textOfSeveralLinesIsABlock() throws {
        #expect(
            try YAMLText.of(["source": "id: a\nstates: {}\n", "z": 1] as JSONValue)
                == "source: |\n  id: a\n  states: {}\nz: 1\n")
    }

    @Test func listsAreOneDocument() async {
        let items = [EventItem(event: "pay", accepted: true), EventItem(event: "no", accepted: nil)]
        func output(_ format: String, _ items: [EventItem]) async -> String {
            await CommandHarness().run("events", "o", "-o", format, answers: [.value(Page(items: items))]).output
        }
        #expect(
            await output("json", items) == """
                [
                  {
                    "event": "pay",
                    "accepted": true
                  },
                  {
                    "event": "no",
                    "accepted": null
                  }
                ]

                """)
        #expect(
            await output("jsonl", items)
                == #"{"event":"pay","accepted":true}"# + "\n" + #"{"event":"no","accepted":null}"# + "\n")
        #expect(
            await output("yaml", items) == """
                - event: pay
                  accepted: true
                - event: "no"
                  accepted: null

                """)
        #expect(await output("json", []) == "[]\n")
        #expect(await output("jsonl", []).isEmpty)
        #expect(await output("yaml", []) == "[]\n")
        #expect(await output("table", []) == "EVENT   ACCEPTED\n")
    }

    @Test func oneThingIsOneDocument() async {
        func output(_ format: String) async -> String {
            await CommandHarness().run("send", "o", "pay", "-o", format, answers: [.value(Sample.sent)]).output
        }
        #expect(
            await output("jsonl") == #"{"instance":"order-1042","event":"pay","seq":5,"fromSeq":4,"#
                + #""from":["awaiting_payment"],"to":["packing"],"status":"running","configuration":["packing"],"context":{}}"#
                + "\n")
        #expect(await output("json").hasPrefix("{\n  \"instance\": \"order-1042\",\n  \"event\": \"pay\",\n"))
        #expect(
            await output("yaml").hasPrefix(
                "instance: order-1042\nevent: pay\nseq: 5\nfromSeq: 4\nfrom:\n- awaiting_payment\n"))
    }
}
