package import ArgumentParser

/// The command line of `wfctl`: its verbs and its help.
package struct Wfctl: ParsableCommand {
    /// The text of `wfctl --help`, and the verbs in the order in which it lists them.
    package static let configuration = CommandConfiguration(
        commandName: "wfctl",
        abstract: "Start, drive and inspect the state machines of wfd.",
        usage: "wfctl [--address <address>] [-o table|json|jsonl|yaml] <verb> …",
        discussion: """
            $ wfctl start order order-1042
            $ wfctl send order-1042 submit --data '{"amount": 1250}'

            Data goes to standard output, messages go to standard error; - means standard input. Exit codes: 0 done, 1 \
            other error, 4 not found, 5 refused by the machine, 6 expectation not met, 7 key conflict, 8 name taken, \
            64 usage, 65 bad data, 66 file unreadable, 69 wfd unreachable, 73 file not writable, 75 try again, 77 not \
            permitted.

            wfd is found by the first of --address, --context, $WFCTL_ADDRESS, $WFCTL_CONTEXT, 'wfctl contexts --use', \
            and the usual socket. A context has its own token; elsewhere $WFCTL_TOKEN_FILE or $WFCTL_TOKEN has it.

            Shell completions: wfctl --generate-completion-script=bash (or zsh, fish)
            """,
        subcommands: [
            Apply.self, Validate.self, Start.self, Send.self, Cancel.self, Retry.self, Skip.self, SetContext.self,
            Migrate.self, Undo.self, Suspend.self, Resume.self, Reset.self, Bulk.self, Redact.self, Delete.self,
            Purge.self,
            Audit.self, Show.self, List.self, Failures.self, Tally.self, Stats.self, Events.self, History.self,
            Tail.self, Replay.self, Verify.self, Work.self, Effects.self, Attempts.self, Queues.self,
            SetQueue.self, ReleaseVerb.self, Status.self, Daemons.self, Timers.self, ClockVerb.self, Simulate.self,
            Eval.self, Import.self, Graph.self, Generate.self, Machines.self, MachineVerb.self, MakeBackup.self,
            TokenVerb.self, WhoamiVerb.self, ConsoleVerb.self, Login.self, Logout.self, Contexts.self,
        ]
    )

    package init() {}
}
