import Testing

/// Tests `import`.
struct ImportVerbTests {
    private static let document = """
        <scxml name="door"><datamodel><data id="paid" expr="false"/></datamodel>
          <state id="shut">
            <onentry><script>paid = true</script></onentry>
            <transition event="open" cond="paid" target="open"/>
          </state>
          <state id="open"/>
        </scxml>
        """
    private let harness = CommandHarness(files: [
        "door.scxml": document, "lamp.scxml": document.replacing("<script>paid = true</script>", with: ""),
    ])
    private let loss =
        "door.scxml:3:14: loss: scripts have no counterpart; this one is left out with all that it does\n"

    @Test func whatCanGoElsewhereIsRefused() async {
        let outcome = await harness.run("import", "door.scxml")
        let info =
            "a descriptor below which the document has no event takes exactly its name here; "
            + "in SCXML it takes every name below it"
        #expect(
            outcome
                == .init(
                    exit: 65, output: "",
                    errors: loss
                        + "door.scxml:4:17: info: \(info)\n"
                        + "error: Cannot import 'door.scxml': 1 loss can change the machine's behaviour; "
                        + "'--lossy' prints the definition anyway\n"))
        #expect(await harness.run("import", "lamp.scxml").exit == 0)
    }

    @Test(arguments: ["yaml", "json"])
    func lossyPrintsItAllTheSame(format: String) async {
        let outcome = await harness.run("import", "door.scxml", "--lossy", "-o", format)
        #expect(outcome.exit == 0)
        #expect(outcome.errors.hasPrefix(loss) && !outcome.errors.contains("error:"))
        #expect(
            outcome.output.contains(
                "3:14: scripts have no counterpart; this one is left out with all that it does"))
        let definition = CommandHarness(files: ["door.yaml": outcome.output])
        #expect(await definition.run("validate", "door.yaml").exit == 0)
    }
}
