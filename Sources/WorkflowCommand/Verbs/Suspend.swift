import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl suspend`.
struct Suspend: Verb {
    static let configuration = CommandConfiguration(
        commandName: "suspend", abstract: "Suspend an instance or a machine until it is resumed.",
        discussion: """
            $ wfctl suspend order-1042 --reason 'the stock is counted'
            $ wfctl suspend --machine order
            $ wfctl suspend --machine order --all

            Events sent to a suspended instance are refused. Its timers and results wait. None of its effects starts; \
            an effect that runs ends as usual.

            '--machine' alone suspends the machine itself at once: no instance starts, and none accepts an event. An \
            instance gets a history row only when something is due for it. '--all' or another selection suspends each \
            selected instance, with a row.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try many.check(instance: instance, options)
        try many.refuseSeveralMachines(of: "suspend")
        try many.refuseRun(of: "suspend")
        try many.refuseExpect()
    }

    func run(in session: Session) async throws {
        if let machine = many.machineItself { return try await suspend(machine: machine, in: session) }
        guard let instance else {
            return try await many.carryOut(BulkAction(.suspend), options, in: session)
        }
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.suspend(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }

    private func suspend(machine: String, in session: Session) async throws {
        let request = SuspendMachineRequest(reason: options.reason, dryRun: options.dryRun ? true : nil)
        let settings = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in
                try await client.suspend(machine: machine, request)
            }
        }
        try session.print(settings) {
            let running = settings.instances ?? 0
            let what = settings.dryRun == true ? "would be suspended" : "suspended"
            let instances = "\(BulkText.grouped(running)) running instance\(running == 1 ? "" : "s")"
            let take = settings.dryRun == true ? "would take" : running == 1 ? "takes" : "take"
            return "\(settings.machine): \(what); \(instances) \(take) nothing\n"
        }
    }
}
