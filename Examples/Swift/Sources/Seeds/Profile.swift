public import StateMachines

/// A profile that is fetched, with a class for what a state does.
public enum Profile: MachineDefinition {
    public enum State: String, MachineState { case retrieving, available, unavailable }
    public enum Event: String, MachineEvent { case succeed, fail, retry }

    public struct Context: Codable, Sendable, Equatable {
        /// True while the activity indicator turns.
        public var busy = false
    }

    public static let definition = Definition<Self>("profile", initial: .retrieving, context: Context()) {
        // Entry and exit run whichever way the state is entered or left.
        In(.retrieving, entry: [.assign(["busy": true])], exit: [.assign(["busy": false])]) {
            On(.succeed, to: .available)
            On(.fail, to: .unavailable)
        }
        Path(from: [.available, .unavailable], to: .retrieving, by: .retry)
    }
}

@MainActor public final class ProfileView {
    public internal(set) var isSpinning = false
    public internal(set) var title = ""

    public init() {}
}

/// The effect of the state `retrieving` on the view.
public final class Retrieving: @MainActor StateBehavior {
    public typealias Machine = Profile
    private let view: ProfileView

    public init(_ view: ProfileView) { self.view = view }

    @MainActor public func didEnter(from previous: Profile.State?) { view.isSpinning = true }
    @MainActor public func willExit(to next: Profile.State) { view.isSpinning = false }
}

/// The effect of the state `available` on the view.
public final class Available: @MainActor StateBehavior {
    public typealias Machine = Profile
    private let view: ProfileView

    public init(_ view: ProfileView) { self.view = view }

    @MainActor public func didEnter(from previous: Profile.State?) { view.title = "Ada" }
}
