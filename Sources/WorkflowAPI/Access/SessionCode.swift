/// The answer to `POST /v1/sessions`: a code that begins one session in the console, for the caller who asked.
public struct SessionCode: Equatable, WireRecord {
    /// The code, which stands for the caller until it is used or expires.
    public var loginCode: String
    /// The seconds until the code expires.
    public var expiresInSeconds: Int64
    /// The caller whose session it begins; `nil` if it is unknown.
    public var actor: String?
    /// The address of the console; `nil` if the daemon listens on no TCP address.
    public var url: String?

    /// Creates a value from its parts.
    public init(loginCode: String, expiresInSeconds: Int64, actor: String? = nil, url: String? = nil) {
        self.loginCode = loginCode
        self.expiresInSeconds = expiresInSeconds
        self.actor = actor
        self.url = url
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        loginCode = try fields.required("loginCode", \.loginCode)
        expiresInSeconds = try fields.required("expiresInSeconds", \.expiresInSeconds)
        actor = try fields.optional("actor", \.actor)
        url = try fields.optional("url", \.url)
    }
}
