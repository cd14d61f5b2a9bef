public import StateMachines

/// Apple's sample "Dispenser: GameplayKit State Machine Basics": a water dispenser with five states.
public enum Dispenser: MachineDefinition {
    public enum State: String, MachineState { case full, serving, partiallyFull, empty, refilling }
    public enum Event: String, MachineEvent { case serve, served, refill, refilled }

    public struct Context: Codable, Sendable, Equatable {
        /// The cups that are left.
        public var cups = 3
    }

    public static let definition = Definition<Self>("dispenser", initial: .full, context: Context()) {
        Path(from: [.full, .partiallyFull], to: .serving, by: .serve)
        In(.serving, entry: [.assign(["cups": "context.cups - 1"])]) {
            On(.served, to: .empty, if: "context.cups == 0")
            On(.served, to: .partiallyFull)
        }
        Path(from: [.partiallyFull, .empty], to: .refilling, by: .refill)
        Path(from: .refilling, to: .full, by: .refilled, .assign(["cups": 3]))
    }
}

/// The light of the dispenser.
@MainActor public final class Light {
    public enum Color: Sendable { case green, red, black }
    public internal(set) var color = Color.black

    public init() {}
}

/// The effect of the state `full`: the light is green.
public final class Full: @MainActor StateBehavior {
    public typealias Machine = Dispenser
    private let light: Light

    public init(_ light: Light) { self.light = light }

    @MainActor public func didEnter(from previous: Dispenser.State?) { light.color = .green }
    @MainActor public func willExit(to next: Dispenser.State) { light.color = .black }
}

/// The effect of the state `empty`: the light is red, and flashes.
public final class Empty: @MainActor StateBehavior {
    public typealias Machine = Dispenser
    private static let interval = Duration.milliseconds(600)
    private let light: Light
    private var time = Duration.zero

    public init(_ light: Light) { self.light = light }

    @MainActor public func didEnter(from previous: Dispenser.State?) { light.color = .red }
    @MainActor public func willExit(to next: Dispenser.State) { light.color = .black }

    @MainActor public func update(deltaTime: Duration) {
        time += deltaTime
        guard time > Self.interval else { return }
        time = .zero
        light.color = light.color == .red ? .black : .red
    }
}
