/// The answer to `GET /v1/whoami`: the caller as the daemon sees it.
public struct Whoami: Equatable, WireRecord {
    /// The actor that history rows name, such as `token:shop` or `uid:1000(ops)`; `nil` if it is unknown.
    public var actor: String?
    /// The roles, whose permissions add up.
    public var roles: [Role]
    /// The permissions of all these roles together.
    public var permissions: [Route.Permission]
    /// The queues whose tasks the caller may take; `nil` for all queues.
    public var queues: [String]?
    /// True if the caller may name the person for whom it asks, in the header `Wfd-On-Behalf-Of`.
    public var speaksFor: Bool?
    /// The end of the caller's token; `nil` for no end, and for a caller without a token.
    public var expiresAt: WireTime?

    /// Creates a value from its parts.
    public init(
        actor: String?, roles: [Role], permissions: [Route.Permission], queues: [String]? = nil,
        speaksFor: Bool? = nil, expiresAt: WireTime? = nil
    ) {
        self.actor = actor
        self.roles = roles
        self.permissions = permissions
        self.queues = queues
        self.speaksFor = speaksFor
        self.expiresAt = expiresAt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        actor = try fields.optional("actor", \.actor)
        roles = try fields.required("roles", \.roles)
        permissions = try fields.required("permissions", \.permissions)
        queues = try fields.optional("queues", \.queues)
        speaksFor = try fields.optional("speaksFor", \.speaksFor)
        expiresAt = try fields.optional("expiresAt", \.expiresAt)
    }
}
