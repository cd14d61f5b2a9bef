/// The name of an element. Calling it makes the element: `.p { "text" }`. None of them runs or fetches anything but the
/// stylesheet.
enum Tag: String, CaseIterable {
    case a, article, b, body, button, caption, code, dd, details, dialog, div, dl, dt, footer, form, h1, h2, head
    case header, html, input, label, li, link, main, meta, nav, ol, option, p, pre, progress, section, select, span
    case strong, summary, table, tbody, td, textarea, th, thead, time, title, tr, ul

    /// True if the element has no content and no end tag.
    var isVoid: Bool { [.input, .link, .meta].contains(self) }

    /// Makes an element.
    func callAsFunction(_ attributes: Attribute?..., @MarkupBuilder content: () -> Markup = { Markup() }) -> Markup {
        Markup(self, attributes.compactMap(\.self), content())
    }
}
