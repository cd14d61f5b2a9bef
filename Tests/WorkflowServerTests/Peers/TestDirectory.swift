import Synchronization
import WorkflowAPI
import WorkflowServer

/// A directory whose places a test names.
final class TestDirectory: RequestDirectory {
    private struct State {
        var place: RequestPlace
        /// The places that the next looks find.
        var next: [RequestPlace] = []
        var looks: [RequestPlace] = []
        var onLook: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ place: RequestPlace) {
        state = Mutex(State(place: place))
    }

    let daemons: [DaemonItem] = []

    var place: RequestPlace { state.withLock { $0.place } }

    /// The places of which it was said that they do not do.
    var looks: [RequestPlace] { state.withLock { $0.looks } }

    /// Moves the data.
    func move(to place: RequestPlace) { state.withLock { $0.place = place } }

    /// Names the places that the next looks find, one after another.
    func find(_ places: RequestPlace...) { state.withLock { $0.next = places } }

    /// Calls a function at each look.
    func whenLooking(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.onLook = call } }

    func look(after place: RequestPlace) async -> RequestPlace {
        state.withLock { $0.onLook }?()
        return state.withLock { state in
            state.looks.append(place)
            if !state.next.isEmpty { state.place = state.next.removeFirst() }
            return state.place
        }
    }
}
