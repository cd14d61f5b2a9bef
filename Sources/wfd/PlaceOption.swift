import ArgumentParser
import SQLiteStore

/// The option with the operator's name for the machine.
struct PlaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of this host, if its /etc/machine-id does not last; under another name, wfd holds effects.",
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
