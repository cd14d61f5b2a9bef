import WorkflowAPI

/// The answer to a form.
package enum ConsoleAnswer: Sendable {
    /// A page, such as a rehearsal or a problem.
    case page(Page)
    /// The address of the page that shows what has been done: loading it again does nothing again.
    case seeOther(Link)
}

extension ConsoleAnswer {
    /// Returns the answer with a page.
    ///
    /// - Parameter problem: The problem that the page tells; `nil` for none.
    static func page(_ content: PageContent, _ problem: Problem? = nil, for visitor: Visitor) -> ConsoleAnswer {
        .page(ConsolePages.answer(content, status: problem?.type.status ?? 200, for: visitor))
    }
}
