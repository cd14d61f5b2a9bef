import DaemonTesting
import IdentityTesting
import PostgresTesting
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Two servers in this process: the owner of an engine with instances, and a standby that forwards to it. The standby's
/// own engine is empty, so an answer from it is easily told.
struct PeerPair {
    static let secret = PeerSecret(Array(repeating: 7, count: PeerSecret.byteCount))

    let owner: ServerHost
    let standby: ServerHost
    /// The directories of both.
    let atOwner: TestDirectory
    let atStandby: TestDirectory
    /// The proxy between them; `nil` for none.
    let proxy: CuttingProxy?

    /// - Parameters:
    ///   - hasProxy: True to put a proxy between the two, which cuts connections.
    ///   - standbySecret: The secret of the standby.
    ///   - isOnTCP: True if the standby listens on TCP.
    ///   - access: Returns the decision about callers at the standby.
    init(
        hasProxy: Bool = false, standbySecret: PeerSecret? = PeerPair.secret, isOnTCP: Bool = false,
        access: @Sendable (_ database: String) throws -> AccessControl = { _ in .everyone },
        limits: ServerLimits = ServerLimits()
    ) async throws {
        atOwner = TestDirectory(.here)
        let secret = try #require(Self.secret)
        owner = try await ServerHost(
            access: { database in
                let book = AccessBook { WireTime(milliseconds: 0) }
                try book.open(AccessFile(besideDatabase: database))
                return AccessControl(book)
            }, peers: (atOwner, secret), limits: limits)
        _ = try await owner.engine.apply(Self.machine, syntax: .yaml)
        proxy = hasProxy ? try CuttingProxy(toPort: owner.peer.port) : nil
        atStandby = TestDirectory(.peer(proxy.map { PeerAddress(host: "127.0.0.1", port: $0.port) } ?? owner.peer))
        standby = try await ServerHost(
            access: access, isOnTCP: isOnTCP,
            forwarder: Forwarder(directory: atStandby, secret: try #require(standbySecret)), limits: limits)
    }

    /// The place to which the standby forwards.
    var place: RequestPlace {
        .peer(proxy.map { PeerAddress(host: "127.0.0.1", port: $0.port) } ?? owner.peer)
    }

    private static let machine = """
        id: door
        initial: shut
        states:
          shut: {on: {open: ajar}, invoke: {task: jobs}}
          ajar: {on: {close: shut}}
        """

    func start(_ names: String...) async throws {
        for name in names { _ = try await owner.engine.start(StartCommand(machine: "door", instance: name)) }
    }

    func stop() async throws {
        try await standby.stop()
        try await owner.stop()
    }
}

extension RawRequest {
    /// Returns an event for an instance.
    static func event(_ name: String, to instance: String, key: String? = nil) -> RawRequest {
        .post(
            "/v1/instances/\(instance)/events", "{\"event\": \"\(name)\"}",
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }
}

extension RawAnswer {
    /// The objects of a list.
    var items: [JSONObject] {
        get throws {
            guard case .array(let items)? = try object["items"] else { return [] }
            return items.compactMap(\.object)
        }
    }
}
