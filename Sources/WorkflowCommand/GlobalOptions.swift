import ArgumentParser

/// The options of every verb; they may stand before the verb too.
struct GlobalOptions: ParsableArguments {
    /// The long names and the short ones of those that take a value.
    static let names = ["--address", "--output", "-o"]
    /// Those that take none.
    static let flags = ["--wide"]

    @Option(
        help: ArgumentHelp(
            "Where wfd listens: unix:PATH, http://HOST:PORT or HOST:PORT. "
                + "(default: $WFCTL_ADDRESS, else its usual socket)",
            valueName: "address"))
    var address: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("How data is printed.", valueName: "format"))
    var format: OutputFormat = .table

    @Flag(help: "Do not cut tables to the width of the terminal.")
    var wide = false
}

/// How data is printed.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// For people.
    case table
    /// One document, indented.
    case json
    /// One compact object per line.
    case jsonl
    case yaml
    /// Events in lines, as `send --batch` takes them: of 'history' only.
    case batch

    static var allValueStrings: [String] { allCases.filter { $0 != .batch }.map(\.rawValue) }
}
