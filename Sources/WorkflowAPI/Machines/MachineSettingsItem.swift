public import WorkflowJSON

/// What is set for a machine, as the answer to a request that sets something.
public struct MachineSettingsItem: Equatable, WireObject {
    public var machine: String
    /// The version that was applied last.
    public var latest: Int64
    /// The version that new instances take.
    public var active: ActiveVersion
    /// Since when and why nothing starts, and its instances take nothing; nil when they do.
    public var suspended: MachineSuspensionItem?
    /// For how many milliseconds finished instances are kept; nil for ever.
    public var retentionInMilliseconds: Int64?
    /// Of a suspension, how many instances run; of a resume, how many go on; of a dry run of a retention, how many
    /// would be deleted by now.
    public var instances: Int64?
    /// The name of the run that resumes instances.
    public var run: String?
    /// True when nothing was changed.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        machine: String, latest: Int64, active: ActiveVersion, suspended: MachineSuspensionItem? = nil,
        retentionInMilliseconds: Int64? = nil, instances: Int64? = nil, run: String? = nil, dryRun: Bool? = nil
    ) {
        self.machine = machine
        self.latest = latest
        self.active = active
        self.suspended = suspended
        self.retentionInMilliseconds = retentionInMilliseconds
        self.instances = instances
        self.run = run
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        machine = try fields.required("machine")
        latest = try fields.required("latest")
        active = try fields.required("active")
        suspended = try fields.optional("suspended")
        retentionInMilliseconds = try fields.optional("retentionInMilliseconds")
        instances = try fields.optional("instances")
        run = try fields.optional("run")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("machine", machine)
            writer.field("latest", latest)
            writer.field("active", active)
            writer.field("suspended", ifPresent: suspended)
            writer.field("retentionInMilliseconds", ifPresent: retentionInMilliseconds)
            writer.field("instances", ifPresent: instances)
            writer.field("run", ifPresent: run)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// The body of `POST /v1/machines/NAME/suspend`.
public struct SuspendMachineRequest: Equatable, WireObject {
    /// Why; those that are refused are told.
    public var reason: String?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(reason: String? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        reason = try fields.optional("reason", bytes: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("reason", ifPresent: reason)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// The body of `POST /v1/machines/NAME/resume`.
public struct ResumeMachineRequest: Equatable, WireObject {
    /// The name of the run that resumes those that the machine has suspended; nil of a dry run.
    public var run: String?
    /// For the history.
    public var reason: String?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(run: String? = nil, reason: String? = nil, dryRun: Bool? = nil) {
        self.run = run
        self.reason = reason
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        run = try fields.optional("run")
        reason = try fields.optional("reason", bytes: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun")
        if run == nil, dryRun != true {
            throw WireError(.missingField, path: "run", message: "Field 'run' is missing: name the run")
        }
        if let run, let message = BulkRequest.message(forRun: run) {
            throw WireError(.invalidValue, path: "run", message: message)
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("run", ifPresent: run)
            writer.field("reason", ifPresent: reason)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// The body of `POST /v1/machines/NAME/retention`.
public struct RetentionRequest: Equatable, WireObject {
    /// How long finished instances are kept, such as `90d`; nil for ever, on the wire `none`.
    public var retention: String?
    /// True to be told how many would be deleted, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(retention: String?, dryRun: Bool? = nil) {
        self.retention = retention
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        let text: String = try fields.required("retention")
        retention = text == Self.none ? nil : text
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("retention", retention ?? Self.none)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }

    /// The word for no retention.
    public static let none = "none"
}
