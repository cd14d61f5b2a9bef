/// The slider that winds the page of an instance back, with links that lead to the same pages without it.
enum SeqSlider {
    /// - Parameters:
    ///   - seq: The macrostep after which the instance is shown; `nil` for now.
    ///   - newest: The last macrostep.
    static func markup(_ name: String, seq: Int64?, newest: Int64) -> Markup {
        let shown = seq ?? newest
        return Tag.div(.class("wind"), .wind(.instance(name)), .newest(newest), seq.map { .seq($0) }) {
            Tag.form(.method("get"), .action(.instance(name))) {
                Tag.label(.for("wind")) { "Seq \(shown) of \(newest)" }
                Tag.input(
                    .type("range"), .id("wind"), .name("seq"), .min("1"), .max("\(newest)"), .value("\(shown)"),
                    .autocomplete("off"))
                Tag.button(.type("submit")) { "Show" }
            }
            Tag.ul(.class("row")) {
                link(shown > 1, "First", name, 1)
                link(shown > 1, "Previous", name, shown - 1)
                link(shown < newest, "Next", name, shown + 1)
                link(seq != nil, "Now", name, nil)
            }
        }
    }

    /// Returns a link, or its text where it would lead to the page itself.
    private static func link(_ leads: Bool, _ text: String, _ name: String, _ seq: Int64?) -> Markup {
        Tag.li {
            if leads { Tag.a(.href(.instance(name, seq: seq))) { text } } else { Tag.span(.class("note")) { text } }
        }
    }
}
