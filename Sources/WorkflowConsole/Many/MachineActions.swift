import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The acts on a machine itself.
enum MachineActions {
    /// The part of a machine's page with the forms of its acts.
    static func section(_ machine: MachineSummary, _ visitor: Visitor) -> Markup {
        let acts: [ConfirmedAct] = [
            machine.suspended == nil ? .suspendMachine : .resumeMachine, .activateMachine, .retainMachine,
        ]
        return ConsolePages.section("Act on the machine", id: "act") {
            for act in acts {
                Tag.details {
                    Tag.summary { act.label }
                    act.form(machine.machine, visitor)
                }
            }
        }
    }
}

extension ConfirmedAct {
    static let suspendMachine = ConfirmedAct(
        word: "suspend-machine", label: "Suspend the machine", route: .suspendMachine,
        fields: [FormField("reason", "Reason", hint: "Callers whose requests are refused are told it.")],
        command: { name, form in
            ["wfctl", "suspend", "--machine", name] + option("--reason", "reason", form)
        },
        rehearse: { name, form, visitor in
            let request = SuspendMachineRequest(reason: form.text("reason"), dryRun: true)
            let count = try await visitor.client.suspend(machine: name, request).instances ?? 0
            return
                "No instance of '\(name)' would start, and \(CountText.grouped(count)) running ones would take nothing."
        },
        perform: { name, form, visitor in
            let request = SuspendMachineRequest(reason: form.text("reason"))
            return .machine(try await visitor.client.suspend(machine: name, request).machine)
        })

    static let resumeMachine = ConfirmedAct(
        word: "resume-machine", label: "Resume the machine", route: .resumeMachine,
        fields: [
            FormField("reason", "Reason"),
            FormField("run", "Name of the run that resumes its instances", hint: "Empty for a new name."),
        ],
        command: { name, form in
            ["wfctl", "resume", "--machine", name] + option("--reason", "reason", form) + option("--run", "run", form)
        },
        rehearse: { name, form, visitor in
            let request = ResumeMachineRequest(reason: form.text("reason"), dryRun: true)
            let count = try await visitor.client.resume(machine: name, request).instances ?? 0
            return
                "'\(name)' would go on, and so would \(CountText.grouped(count)) instances that were suspended with it."
        },
        perform: { name, form, visitor in
            let request = ResumeMachineRequest(run: form.text("run"), reason: form.text("reason"))
            let run = try await visitor.client.resume(machine: name, request).run
            return run.map { Link("runs", $0) } ?? .machine(name)
        })

    static let activateMachine = ConfirmedAct(
        word: "activate-machine", label: "Activate a version", route: .activateMachine,
        fields: [
            FormField("version", "Version that new instances take", isRequired: true, hint: "A number, or latest.")
        ],
        command: { name, form in ["wfctl", "machine", "activate", name, form.text("version") ?? "…"] },
        rehearse: { name, form, visitor in
            let version = try version(in: form)
            let machine = try await visitor.client.machine(name)
            if let number = version.number { _ = try await visitor.client.machine(name, version: number) }
            let now = machine.active.map { "version \($0)" } ?? "the latest version, \(machine.version)"
            let then = version.number.map { "version \($0)" } ?? "the latest version"
            return "New instances of '\(name)' would take \(then). Now they take \(now). Those that run stay in theirs."
        },
        perform: { name, form, visitor in
            .machine(try await visitor.client.activate(name, try version(in: form)).machine)
        })

    static let retainMachine = ConfirmedAct(
        word: "retain-machine", label: "Keep finished instances for a time", route: .retainMachine,
        fields: [
            FormField("retention", "Retention", isRequired: true, hint: "Such as 90d, or none to keep them for ever.")
        ],
        command: { name, form in ["wfctl", "machine", "set", name, "--retention", form.text("retention") ?? "…"] },
        rehearse: { name, form, visitor in
            let request = RetentionRequest(retention: try retention(in: form), dryRun: true)
            let count = try await visitor.client.retain(machine: name, request).instances ?? 0
            return
                "\(CountText.grouped(count)) finished instances of '\(name)' would be deleted now, and others later."
        },
        perform: { name, form, visitor in
            let request = RetentionRequest(retention: try retention(in: form))
            return .machine(try await visitor.client.retain(machine: name, request).machine)
        })

    private static func version(in form: FormRequest) throws(WireError) -> ActiveVersion {
        if let version = form.text("version").flatMap({ ActiveVersion($0) }) { return version }
        throw WireError(
            .invalidValue, path: "version", message: "Field 'version' must be 'latest' or a version: 1, 2, …")
    }

    private static func retention(in form: FormRequest) throws(WireError) -> String? {
        guard let text = form.text("retention") else {
            throw WireError(.missingField, path: "retention", message: "Field 'retention' is missing")
        }
        return text == RetentionRequest.none ? nil : text
    }
}
