/// A form whose fields are the query of a list: its address shows the same again.
struct FilterForm {
    let link: Link
    let request: PageRequest

    /// The form with its fields, and a link that clears them.
    func markup(@MarkupBuilder _ fields: () -> Markup) -> Markup {
        Tag.form(.class("filter"), .method("get"), .action(link), .label("Filter")) {
            fields()
            Tag.button(.type("submit")) { "Show" }
            if !request.query(without: "page").isEmpty { Tag.a(.href(link)) { "Show all" } }
        }
    }

    /// A field for a text.
    static func field(_ name: StaticString, _ label: String, in request: PageRequest) -> Markup {
        Tag.div {
            Tag.label(.for("f-\(name)")) { label }
            Tag.input(
                .type("text"), .id("f-\(name)"), .name(name), .autocomplete("off"),
                .value(request.values("\(name)").first ?? ""))
        }
    }

    /// A field for one of several words.
    static func choice(_ name: StaticString, _ label: String, _ words: [String], in request: PageRequest) -> Markup {
        let chosen = request.values("\(name)").first
        return Tag.div {
            Tag.label(.for("f-\(name)")) { label }
            Tag.select(.id("f-\(name)"), .name(name)) {
                Tag.option(.value("")) { "any" }
                for word in words { Tag.option(.value(word), .selected(word == chosen)) { word } }
            }
        }
    }
}
