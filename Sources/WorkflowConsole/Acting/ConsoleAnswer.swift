/// The answer to a form.
package enum ConsoleAnswer: Sendable {
    /// A page, such as a rehearsal or a problem.
    case page(Page)
    /// The address of the page that shows what has been done: loading it again does nothing again.
    case seeOther(Link)
}
