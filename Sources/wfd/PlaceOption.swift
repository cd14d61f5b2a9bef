import ArgumentParser
import WorkflowSettings

/// The option with the operator's name for the machine.
struct PlaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The name of this host, if its /etc/machine-id does not last; under another name, wfd holds effects.",
            valueName: "name"),
        transform: { text in
            do {
                return try PlaceName.read(text)
            } catch {
                throw ValidationError("\(error)")
            }
        })
    var place: String?
}
