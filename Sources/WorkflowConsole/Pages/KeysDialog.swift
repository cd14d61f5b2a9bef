/// The keys of all pages, which the module acts on, and the switch that turns them off (WCAG 2.2, 2.1.4).
enum KeysDialog {
    private static let keys = [
        ("/", "find an instance by its name"), ("j", "the next row"), ("k", "the previous row"),
        ("Enter", "open the row"), ("←", "the step before, on the page of an instance"), ("→", "the step after"),
        ("← ↑ → ↓", "another state, in a drawing"), ("?", "these keys"),
    ]

    /// The button that opens the dialog. It is there where the module runs.
    static var button: Markup { Tag.button(.type("button"), .id("keys-open")) { "Keys" } }

    static var markup: Markup {
        Tag.dialog(.id("keys"), .labelledBy("keys-title")) {
            Tag.h2(.id("keys-title")) { "Keys" }
            Words.facts(keys.map { ($0.0, Markup(text: $0.1)) })
            Tag.p {
                Tag.input(.type("checkbox"), .id("keys-on"))
                Tag.label(.for("keys-on")) { "Single keys act, outside of fields" }
            }
            Tag.form(.method("dialog")) { Tag.button(.type("submit")) { "Close" } }
        }
    }
}
