public import StateMachines

/// A parcel that a worker packs: `Examples/shop/parcel.yaml` in Swift.
public enum Parcel: MachineDefinition {
    public enum State: String, MachineState { case packing, packed, refused }
    public typealias Event = NoEvent

    public struct Context: Codable, Sendable, Equatable {
        public var items: [String] = []
        public var receipt: Stock.Output?
        public var why: String?

        public init(items: [String] = []) { self.items = items }
    }

    public static let definition = Definition<Self>("parcel", initial: .packing, context: Context()) {
        In(.packing) {
            Invoke(
                task: Stock.self, input: ["items": "context.items"], timeout: .seconds(24 * 60 * 60),
                retry: Retry(attempts: 5, first: .seconds(2))
            ) {
                OnDone(to: .packed, .assign(["receipt": "event.data"]))
                OnError(to: .refused, .assign(["why": "event.data.message"]))
            }
        }
        In(.packed, .final, output: ["receipt": "context.receipt"])
        In(.refused, .final, output: ["why": "context.why"])
    }
}

/// A task for the workers of the machine.
public enum Stock: MachineTask {
    public static let queue = "stock"

    public struct Input: Codable, Sendable {
        public let items: [String]
    }

    public struct Output: Codable, Sendable, Equatable {
        public let weight: Int

        public init(weight: Int) { self.weight = weight }
    }
}
