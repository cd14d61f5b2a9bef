import ManualTesting
import Statechart
import Testing

/// Tests that `docs/definitions.md` names exactly the keys that the reader knows.
struct DefinitionManualTests {
    private typealias Place = DefinitionKeys.Place

    /// The page's names of the places.
    private static let names: [Place: String] = [
        .root: "the root", .state: "a state", .finalState: "a final state", .historyState: "a history state",
        .initial: "`initial`", .transition: "a transition", .action: "an action", .raise: "`raise`", .send: "`send`",
        .emit: "`emit`",
        .misfire: "`misfire`", .branch: "a branch of `choose`", .foreach: "`foreach`", .event: "an event in `events`",
        .types: "`types`", .invocation: "an invocation", .call: "`call`", .task: "`task`", .http: "`http`",
        .exec: "`exec`", .retry: "`retry`",
    ]
    private static let page = ManualPage.page("docs/definitions.md")

    /// Returns the cells of the rows below the head of a table.
    private static func rows(below head: String) -> [[String]] {
        let lines = page.prose.map(\.line).drop { $0 != head }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return lines.map { line in
            line.dropFirst().dropLast().split(separator: "|").map { $0.drop { $0 == " " } }.map(String.init)
        }
    }

    private static func codes(in cell: String) -> [String] {
        cell.matches(of: /`([^`]*)`/).map { String($0.1) }
    }

    @Test(arguments: DefinitionKeys.Place.allCases) func eachPlaceHasItsKeys(place: DefinitionKeys.Place) throws {
        let name = try #require(Self.names[place])
        let row = try #require(
            Self.rows(below: "| map | its keys |").first { $0[0].hasPrefix(name + " ") }, "no row for \(name)")
        #expect(Self.codes(in: row[1]).sorted() == DefinitionKeys.known(in: place).sorted())
    }

    @Test func noOtherMapIsListed() {
        #expect(Self.rows(below: "| map | its keys |").count == DefinitionKeys.Place.allCases.count)
    }

    /// The table has the meaning of each key of a state.
    @Test func eachKeyOfAStateHasItsMeaning() {
        let places: [DefinitionKeys.Place] = [.root, .state, .finalState, .historyState]
        let told = Self.rows(below: "| key | where | meaning |").flatMap { Self.codes(in: $0[0]) }
        #expect(told.sorted() == Set(places.flatMap(DefinitionKeys.known)).sorted())
    }

    @Test func eachKeyOfARequestHasItsMeaning() {
        let told = Self.rows(below: "| key of `http` | meaning |").flatMap { Self.codes(in: $0[0]) }
        #expect(told.sorted() == DefinitionKeys.known(in: .http).sorted())
    }

    @Test func eachKeyOfARuleHasItsMeaning() {
        let told = Self.rows(below: "| key of `retry` | meaning |").flatMap { Self.codes(in: $0[0]) }
        #expect(told.sorted() == DefinitionKeys.known(in: .retry).sorted())
    }

    /// The page lists the headers that a definition cannot set.
    @Test func theHeadersOfWfdAreListed() throws {
        let lines = Self.page.prose.map(\.line)
        let listed = try #require(lines.firstIndex { $0.hasPrefix("Only wfd sets these headers") })
        let told = lines[listed...].prefix { !$0.isEmpty }.flatMap(Self.codes)
        #expect(Set(told.map { $0.lowercased() }) == HeaderCheck.own && told.count == HeaderCheck.own.count)
    }

    @Test func eachActionHasItsMeaning() {
        let told = Self.rows(below: "| action | |").flatMap { Self.codes(in: $0[0]) }
            .compactMap { $0.prefixMatch(of: /\{(\w+):/).map { String($0.1) } }
        #expect(Set(told).sorted() == DefinitionKeys.known(in: .action).sorted())
    }
}
