import ArgumentParser

/// `wfctl machine` and its verbs. Without a verb it prints a definition.
struct MachineVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine", abstract: "Print a machine's definition, count its instances, or change its settings.",
        discussion: """
            $ wfctl machine order --version 2
            $ wfctl machine activate order 2
            $ wfctl machine set order --retention 90d

            'wfctl machine order' is short for 'wfctl machine source order'.
            """,
        subcommands: [MachineSource.self, ShowMachine.self, ActivateMachine.self, SetMachine.self],
        defaultSubcommand: MachineSource.self
    )
}
