import ArgumentParser

/// The options of every verb; they may also precede the verb.
struct GlobalOptions: ParsableArguments {
    /// The long and short names of the options that take a value.
    static let names = ["--address", "--context", "--ca", "--output", "-o"]
    /// The options without a value.
    static let flags = ["--wide"]

    @Option(
        help: ArgumentHelp(
            "The address of wfd: unix:PATH, https://HOST[:PORT] or HOST:PORT. "
                + "(default: $WFCTL_ADDRESS, else the usual socket)",
            valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "The context with the address and the token, as 'wfctl login' wrote it. (default: $WFCTL_CONTEXT)",
            valueName: "name"))
    var context: String?

    @Option(
        help: ArgumentHelp(
            "Trust these certificate authorities (PEM) alone. (default: $WFCTL_CA, else those of the system)",
            valueName: "file"))
    var ca: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The format of printed data.", valueName: "format"))
    var format: OutputFormat = .table

    @Flag(help: "Do not cut tables to the width of the terminal.")
    var wide = false
}

/// The format of printed data.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Text for people.
    case table
    /// One document, indented.
    case json
    /// One compact object per line.
    case jsonl
    case yaml
    /// Events in lines, as `send --batch` accepts them; for `history` only.
    case batch

    static var allValueStrings: [String] { allCases.filter { $0 != .batch }.map(\.rawValue) }
}
