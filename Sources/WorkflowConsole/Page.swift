/// A page as it is answered.
package struct Page: Sendable {
    /// The status of the answer.
    package let status: Int
    private let markup: Markup

    init(_ markup: Markup, status: Int = 200) {
        (self.markup, self.status) = (markup, status)
    }

    /// The document.
    package var html: String { markup.html }
}

/// The part of a page that differs from page to page.
struct PageContent {
    /// The heading, which is also the title of the window.
    let title: String
    /// The command line that shows the same.
    let command: [String]
    /// The stream whose rows change the page; `nil` for a page that stays as it is.
    var stream: Link?
    let body: Markup

    init(_ title: String, _ command: [String], stream: Link? = nil, @MarkupBuilder _ body: () -> Markup) {
        (self.title, self.command, self.stream, self.body) = (title, command, stream, body())
    }
}
