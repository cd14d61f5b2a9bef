public import StateMachines

/// A camera whose definition emits what the program does: the flash, and the number of a picture.
public enum Camera: MachineDefinition {
    public enum State: String, MachineState { case ready, exposing }
    public enum Event: String, MachineEvent { case shoot }

    public struct Context: Codable, Sendable, Equatable {
        public var pictures = 0
    }

    public static let definition = Definition<Self>("camera", initial: .ready, context: Context()) {
        In(.ready) { On(.shoot, to: .exposing, .emit("flash")) }
        In(
            .exposing,
            exit: [
                .assign(["pictures": "context.pictures + 1"]),
                .emit("saved", data: ["number": "context.pictures"]),
            ]
        ) {
            After(.milliseconds(20), to: .ready)
        }
    }
}

@MainActor public final class CameraView {
    public private(set) var flashes = 0
    public private(set) var message = ""

    public init() {}

    public func show(_ output: Output) {
        switch output.name {
        case "flash": flashes += 1
        case "saved":
            if case .int(let number)? = output.data?.object?["number"] { message = "picture \(number)" }
        default: break
        }
    }
}
