public import StateMachines

/// A request that is fetched or saved. The machine decides what may follow what; the values travel with the moves.
public enum Request: MachineDefinition {
    public enum State: StateValue, Decodable, Equatable {
        case ready, fetching, saving, success(result: String), failure(error: String)

        public enum Name: String, MachineState, CodingKey { case ready, fetching, saving, success, failure }
        typealias CodingKeys = Name
    }

    public enum Event: EventValue, Codable {
        case fetch, save, succeed(String), fail(String), reset

        public enum Name: String, MachineEvent, CodingKey { case fetch, save, succeed, fail, reset }
        typealias CodingKeys = Name
    }

    public struct Context: Codable, Sendable, Equatable {
        public var result: String?
        public var error: String?

        public init() {}
    }

    public static let definition = Definition<Self>("request", initial: .ready, context: Context()) {
        // Asked once for each pair, and stored as routes: so the compiler checks that it is exhaustive.
        Table { state, event in
            switch (state, event) {
            case (.ready, .fetch): .to(.fetching)
            case (.ready, .save): .to(.saving)
            case (.fetching, .succeed), (.saving, .succeed): .to(.success, .assign(["result": "event.data"]))
            case (.fetching, .fail), (.saving, .fail): .to(.failure, .assign(["error": "event.data"]))
            case (_, .reset): .to(.ready, .assign(["result": nil, "error": nil]))
            case (_, .fetch), (_, .save), (_, .succeed), (_, .fail): nil
            }
        }
    }
}
