/// An action as its definition tells it.
enum ActionDraft {
    case written(Action)
    /// The name of an entry in `actions`.
    case named(SourceWord)
}

/// An entry of `actions` at the root.
struct NamedActions {
    let name: SourceWord
    let actions: [ActionDraft]
}
