import Drawing
import Statechart
import WorkflowAPI

/// The states of a machine as a list of lists: the twin of its drawing.
struct StateTree {
    private let drawn: DrawnMachine
    /// The machine with its version: what a drawing is of.
    private let name: String

    /// Reads the definition that the daemon keeps; `nil` for one that this version cannot read.
    init?(_ summary: MachineSummary) {
        guard let drawn = DrawnMachines.shared.machine(summary) else { return nil }
        (self.drawn, name) = (drawn, "\(summary.machine)@\(summary.version)")
    }

    var machine: Machine { drawn.machine }

    /// The machine's description.
    var description: String? { machine.description }

    /// Returns the drawing, in which the active states are lit, beside the list.
    ///
    /// - Parameters:
    ///   - active: The paths of the active leaves.
    ///   - taken: The numbers of the transitions that are lit.
    ///   - request: The request of the page. Its query names the folded states that are opened.
    ///   - badges: The notes in the drawing, by path; `nil` for a drawing without.
    ///   - counts: The numbers at its arrows; `nil` for a drawing without.
    ///   - note: Returns what stands behind a state in the list, such as its count.
    func chart(
        active leaves: [String], taken: [Int] = [], in request: PageRequest, badges: [String: SceneNote]? = nil,
        counts: ArrowCounts? = nil, note: (_ path: String) -> Markup
    ) -> Markup {
        let active = Set(leaves.flatMap(lineage))
        return Tag.div(.class("chart")) {
            drawing(active: machine.states.map(\.path).filter(active.contains), taken, request, badges, counts)
            list(active, note)
        }
    }

    private func drawing(
        active paths: [String], _ taken: [Int], _ request: PageRequest, _ badges: [String: SceneNote]?,
        _ counts: ArrowCounts?
    ) -> Markup {
        // A folded box counts its active states, so its drawing is of the active states too.
        let isFolded = machine.states.count > DrawingLimits.unfoldedStates + 1
        let opened = request.values("open").filter { machine.state(atPath: $0) != nil }
        let open = isFolded ? (Set(opened).union(paths)).sorted() : []
        let shown = machine.states.compactMap { state in badges?[state.path].map { (state, $0) } }
        let more = open + shown.map { "\($0.path): \($1.title)" } + (counts?.texts ?? [])
        let key = more.isEmpty ? name : "\(name) \(ShortHash.text(of: more))"
        let attributes: [Attribute] = [.class("drawing"), .drawing(key), .active(paths), .taken(taken.map { "\($0)" })]
        if key == request.drawn { return Markup(.div, attributes, Markup()) }
        guard
            let scene = drawn.scene(
                Scene.Options(unfolded: Set(open), hasNotes: badges != nil, hasCounts: counts != nil))
        else {
            return Tag.p(.class("note")) { "The machine is too large to draw; the list has its states." }
        }
        let lit = taken.compactMap { Int32(exactly: $0) }.map(TransitionIndex.init(rawValue:))
        let picture = Markup(
            drawing: scene, active: Set(paths.compactMap { machine.state(atPath: $0) }), taken: Set(lit),
            notes: Dictionary(shown.map { ($0.index, $1) }) { first, _ in first },
            counting: counts.map { counts in { counts.count(of: $0) } }
        ) { Link.opening($0.path, in: request) }
        let drawing = Markup(.div, attributes, picture)
        guard !opened.isEmpty, isFolded else { return drawing }
        return Tag.div { drawing + Tag.p { Tag.a(.href(.opening(nil, in: request))) { "Fold all" } } }
    }

    /// Returns the numbers of transitions that the API names by their places. Transitions on one line between the same
    /// states are the same here, and have the same arrow.
    func numbers(of taken: [ReplayMicrostep.Taken]) -> [Int] {
        let taken = Set(taken)
        return machine.transitions.filter { transition in
            taken.contains(
                ReplayMicrostep.Taken(
                    source: machine[transition.source].path, targets: machine.paths(of: transition.targets),
                    line: transition.line))
        }.map { Int($0.index.rawValue) }
    }

    private func list(_ active: Set<String>, _ note: (_ path: String) -> Markup) -> Markup {
        Tag.ul(.class("states"), .label("States")) {
            for child in machine[.root].children { item(machine[child], active, note) }
        }
    }

    private func item(_ state: State, _ active: Set<String>, _ note: (String) -> Markup) -> Markup {
        let isActive = active.contains(state.path)
        // A key may have dots itself, so it is what the parent's path leaves over.
        let prefix = state.parent.map { machine[$0].path.utf8.count } ?? 0
        let name = Tag.code { String(decoding: state.path.utf8.dropFirst(prefix == 0 ? 0 : prefix + 1), as: UTF8.self) }
        let kind = state.kind == .atomic || state.kind == .compound ? "" : " \(state.kind.rawValue)"
        let tags = state.tags.isEmpty ? "" : " #" + state.tags.joined(separator: " #")
        return Tag.li(isActive ? .class("active") : nil) {
            name
            if isActive { Tag.b(.class("here")) { " active" } }
            Tag.span(.class("note")) { kind + tags }
            note(state.path)
            if !state.children.isEmpty {
                Tag.ul { for child in state.children { item(machine[child], active, note) } }
            }
        }
    }

    /// Returns a path and those of all states around it, without the root.
    func lineage(_ path: String) -> [String] {
        var lineage = [path]
        var state = machine.state(atPath: path).map { machine[$0] }
        while let parent = state?.parent, parent != .root {
            state = machine[parent]
            lineage.append(machine[parent].path)
        }
        return lineage
    }

    /// Returns the reason why an instance does not take an event now, as far as the definition tells.
    func reason(against event: String, in leaves: [String]) -> Markup {
        let active = Set(leaves.flatMap(lineage) + [""])
        let takers = machine.states.filter { !$0.transitions(on: event).isEmpty }
        let guards = takers.filter { active.contains($0.path) }.flatMap { $0.transitions(on: event) }
            .compactMap { machine[$0].condition?.source }
        if let first = guards.first {
            return Markup(text: "its guard says no: ") + Tag.code { first }
                + Markup(text: guards.count > 1 ? " and \(guards.count - 1) more" : "")
        }
        return Markup(text: "taken in ") + Words.states(takers.prefix(5).map(\.path))
            + Markup(text: takers.count > 5 ? " and \(takers.count - 5) more" : "")
    }
}

extension State {
    /// Returns the transitions that an event may take, whatever their guards say.
    ///
    /// - Parameter event: A name, or a descriptor with `.*`.
    func transitions(on event: String) -> [TransitionIndex] {
        let prefixes = candidates.prefixes.filter { $0.matches(event) || $0.name + ".*" == event }
        return (candidates.exact[event] ?? []) + prefixes.flatMap(\.transitions) + candidates.any
    }
}
