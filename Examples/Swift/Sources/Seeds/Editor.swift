public import StateMachines

/// The pages of an editing tool, as a tree: a tab may switch to any of its siblings, and its own pages exist only while
/// it is active. Entering runs from the outside in, leaving from the inside out.
public enum Editor: MachineDefinition {
    public enum State: String, MachineState {
        case none
        case filter, filterNone = "filter.none", beauty = "filter.beauty", vintage = "filter.vintage"
        case filterLast = "filter.last"
        case text, textNone = "text.none", font = "text.font", colour = "text.colour"
        case music

        static let tabs: [State] = [.none, .filter, .text, .music]
    }

    public enum Event: String, MachineEvent {
        case none, filter, text, music, beauty, vintage, font, colour, back, resume
    }

    public static let definition = Definition<Self>("editor", initial: .none) {
        for tab in State.tabs {
            In(tab) {
                for (event, sibling) in zip([Event.none, .filter, .text, .music], State.tabs) where sibling != tab {
                    On(event, to: sibling)
                }
                if tab != .filter { On(.resume, to: .filterLast) }
            }
        }
        In(.filter, initial: .filterNone)
        // Remembers which of its siblings was active when the tab was left.
        In(.filterLast, .history)
        In(.filterNone) {
            On(.beauty, to: .beauty)
            On(.vintage, to: .vintage)
        }
        In(.beauty) {
            On(.vintage, to: .vintage)
            On(.back, to: .filterNone)
        }
        In(.vintage) {
            On(.beauty, to: .beauty)
            On(.back, to: .filterNone)
        }
        In(.text, initial: .textNone)
        In(.textNone) {
            On(.font, to: .font)
            On(.colour, to: .colour)
        }
        In(.font) {
            On(.colour, to: .colour)
            On(.back, to: .textNone)
        }
        In(.colour) {
            On(.font, to: .font)
            On(.back, to: .textNone)
        }
    }
}
