import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl start`.
struct Start: Verb {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start one instance of a machine, or many instances.",
        discussion: """
            $ wfctl start order order-1042 --data '{"amount": 5}'

            Without a name, wfd chooses one. A taken name is refused.

            With --batch, each line is a start, {"instance": …, "start": {"machine": …, "version"?, "data"?}, "key"?}, \
            or an event: see 'wfctl send'.
            """)

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var machine: String?

    @Argument(help: "The new instance's name: 1 to 200 characters of A-Z a-z 0-9 _ . : @ -")
    var name: String?

    @Option(parsing: .unconditional, help: "The machine's version. (default: the active one, else the latest)")
    var version: Int64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Replace keys of the machine's context: a JSON object, @FILE, or - for standard input.",
            valueName: "json|@file|-"))
    var data: String?

    @OptionGroup var key: KeyOption

    @OptionGroup var lines: BatchOptions

    @Option(
        help: ArgumentHelp(
            "With --batch: make keys for lines without one, so that the same command continues where it stopped.",
            valueName: "name"))
    var run: String?

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { lines.batch != nil }

    func validate() throws {
        try Least.check("--version", version)
        if lines.batch != nil {
            guard machine == nil, name == nil, version == nil, data == nil, key.key == nil else {
                throw ValidationError("'--batch' accepts only '--run' and '--atomic': its lines have everything else")
            }
            return try BatchOptions.check(run: run)
        }
        if run != nil || lines.atomic { throw ValidationError("'--run' and '--atomic' go with '--batch' only") }
        if machine == nil { throw ValidationError("Missing expected argument '<machine>'") }
    }

    func run(in session: Session) async throws {
        if let batch = lines.batch {
            return try await lines.send(batch, of: .start, run: run, in: session)
        }
        // `validate` ensures that the machine is present.
        guard let machine else { return }
        let data = try data.map { try DataArgument.object(of: $0, in: session) }
        let request = StartRequest(machine: machine, version: version, instance: name, data: data)
        let instance = try await key.persist(in: session) { client, key throws(ClientError) in
            try await client.start(request, key: key)
        }
        try session.print(instance) {
            let style = StateText.style(of: instance.status)
            let end: StyledText = instance.status == .running ? "" : ", \(instance.status.rawValue, style)"
            let place = StateText.styled(instance.configuration)
            return "\(instance.instance): started in \(place)"
                + "   (\(instance.machine) version \(instance.version), seq \(instance.seq)\(end))\n"
        }
        if instance.status == .failed { throw CommandFailure(instance.instance, "has failed", instance.failure) }
    }
}
