import Testing
import ThreadTesting

@Suite(.ownThreads) struct PostgresRulesTests {
    @Test func theStoreUsesNoForbiddenAbility() {
        let files = Repository.sourceFiles.filter { $0.isIn("Sources/PostgresStore") || $0.isIn("migrations/postgres") }
        #expect(files.contains { $0.path.hasSuffix(".swift") } && files.contains { $0.path.hasSuffix(".sql") })
        #expect(files.flatMap(PostgresRules.abilities).map(\.description) == [])
    }

    @Test func aForbiddenAbilityIsFound() {
        let text = "let sql = \"NOTIFY news\"\nlet lock = \"SELECT pg_advisory_lock(1)\"\n"
        let inStore = SourceFile(path: "Sources/PostgresStore/A.swift", text: text)
        let elsewhere = SourceFile(path: "Sources/WorkflowEngine/A.swift", text: text)
        #expect(PostgresRules.abilities(inStore).map(\.line) == [1, 2])
        #expect(PostgresRules.abilities(elsewhere).isEmpty)
    }
}
