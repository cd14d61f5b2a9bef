import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl resume`.
struct Resume: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a suspended instance or machine.",
        discussion: """
            $ wfctl resume order-1042
            $ wfctl resume --machine order

            wfd now applies what has waited, as after an outage: timers at the times they were due, results in the \
            order in which they arrived.

            '--machine' alone resumes the machine itself. It also begins a run that resumes the instances that the \
            suspension of the machine has suspended. An instance that a person or the brake has suspended stays \
            suspended; '--all' resumes it too.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try many.check(instance: instance, options)
        try many.refuseSeveralMachines(of: "resume")
        try many.refuseExpect()
    }

    func run(in session: Session) async throws {
        if let machine = many.machineItself { return try await resume(machine: machine, in: session) }
        guard let instance else {
            return try await many.carryOut(BulkAction(.resume), options, in: session)
        }
        try await options.carryOut(in: session, failing: "has failed") { client, key throws(ClientError) in
            try await client.resume(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }

    private func resume(machine: String, in session: Session) async throws {
        let run = options.dryRun ? nil : many.run ?? BulkOptions.newName(for: BulkAction(.resume), in: session)
        let request = ResumeMachineRequest(run: run, reason: options.reason, dryRun: options.dryRun ? true : nil)
        let settings = try await session.withClient { client in
            try await client.untilKnown { () async throws(ClientError) in
                try await client.resume(machine: machine, request)
            }
        }
        guard let run else {
            return try session.print(settings) {
                let count = settings.instances ?? 0
                return "\(machine): would be resumed; \(BulkText.grouped(count)) suspended "
                    + "instance\(count == 1 ? "" : "s") would go on\n"
            }
        }
        try session.say("\(machine): resumed; run: \(run)")
        // The run is under way; the verb follows its progress.
        let select = BulkSelect(machines: [machine], suspendedBy: BulkSelect.byMachine)
        var following = BulkFollowing(
            session, BulkRequest(run: run, action: BulkAction(.resume), select: select, reason: options.reason))
        try await following.follow(names: [], hint: nil)
    }
}
