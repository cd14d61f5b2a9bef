import ArgumentParser
import SQLiteStore

/// The option with the operator's name for the machine.
struct PlaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The machine's name, where it has no lasting /etc/machine-id: under another one the database holds effects.",
            valueName: "name"),
        transform: { text in
            let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isPlain, 1...100 ~= text.utf8.count else {
                throw ValidationError("write 1 to 100 letters, digits and signs, without spaces")
            }
            return text
        })
    var place: String?

    /// The source of a database's place.
    var source: PlaceSource { .system(machine: place) }
}
