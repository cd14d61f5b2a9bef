import Foundation
import HTTPTypes
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The caller of a forwarded request, as the daemon that received the request has identified it.
///
/// A daemon heeds the header on its address for other daemons alone. There it replaces all credentials.
struct ForwardedCaller: Equatable, WireRecord {
    /// The actor that history rows name, with the person for whom it asks; `nil` if it is unknown.
    let actor: String?
    let roles: [Role]
    /// The queues whose tasks the caller may take; `nil` for all queues.
    let queues: [String]?
    let namespace: Int64

    init(_ caller: Caller, _ identity: CallerIdentity) {
        actor = caller.actor?.rawValue
        roles = identity.roles
        queues = identity.queues
        namespace = caller.namespace.rawValue
    }

    init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        actor = try fields.optional("actor", \.actor)
        roles = try fields.required("roles", \.roles)
        queues = try fields.optional("queues", \.queues)
        namespace = try fields.required("namespace", \.namespace)
    }

    /// Reads the value of the header; `nil` if it names no caller.
    init?(header: String) {
        guard let bytes = Data(base64Encoded: header) else { return nil }
        // A value that cannot be read names nobody; the caller of this initializer refuses the request.
        guard let caller = try? bytes.withUnsafeBytes({ bytes throws in try Self(body: bytes) }),
            caller.namespace > 0, caller.actor != ""
        else { return nil }
        self = caller
    }

    /// The value of the header: JSON in Base64, because a user's name may have any character.
    var header: String { Data(JSONWriter.bytes(self)).base64EncodedString() }

    var caller: Caller {
        Caller(actor.map { Actor(rawValue: $0) }, namespace: NamespaceID(rawValue: namespace))
    }

    var identity: CallerIdentity { CallerIdentity(caller.actor, roles: roles, queues: queues) }
}

extension HTTPField.Name {
    /// The header with the caller of a forwarded request.
    static let forwardedCaller = known("Wfd-Forwarded-Caller")
    /// The header of an answer by a daemon that does not own the data.
    static let notOwner = known("Wfd-Not-Owner")
}
