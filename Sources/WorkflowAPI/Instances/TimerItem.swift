/// Something that will come to an instance by itself.
public struct TimerItem: Equatable, WireRecord {
    public var instance: String
    /// The name of the event that it will be.
    public var event: String
    public var due: WireTime
    /// Milliseconds until then; negative when it is late.
    public var dueInMilliseconds: Int64
    /// The path of the state with whose end it goes; of an instance's own list only.
    public var state: String?
    /// What `cancel` names; of an instance's own list only.
    public var id: String?
    /// How late it may be and still change something; nil for however late. Of an instance's own list only.
    public var skipMilliseconds: Int64?
    /// True when its delay begins anew if the timer is too late; nil otherwise. Only in an instance's own list.
    public var rearms: Bool?
    /// Whether it waits because its instance does not run: until that is retried, or resumed.
    public var waits: Bool?
    /// Of what waits: true when the instance is suspended, nil when it has failed.
    public var suspended: Bool?

    /// Takes the parts as they are.
    public init(
        instance: String, event: String, due: WireTime, dueInMilliseconds: Int64, state: String? = nil,
        id: String? = nil, skipMilliseconds: Int64? = nil, rearms: Bool? = nil, waits: Bool? = nil,
        suspended: Bool? = nil
    ) {
        self.instance = instance
        self.event = event
        self.due = due
        self.dueInMilliseconds = dueInMilliseconds
        self.state = state
        self.id = id
        self.skipMilliseconds = skipMilliseconds
        self.rearms = rearms
        self.waits = waits
        self.suspended = suspended
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        event = try fields.required("event", \.event)
        due = try fields.required("due", \.due)
        dueInMilliseconds = try fields.required("dueInMilliseconds", \.dueInMilliseconds)
        state = try fields.optional("state", \.state)
        id = try fields.optional("id", \.id)
        skipMilliseconds = try fields.optional("skipMilliseconds", \.skipMilliseconds)
        rearms = try fields.optional("rearms", \.rearms)
        waits = try fields.optional("waits", \.waits)
        suspended = try fields.optional("suspended", \.suspended)
    }
}
