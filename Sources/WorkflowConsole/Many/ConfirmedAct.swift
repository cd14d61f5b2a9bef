import WorkflowAPI

/// An act on one thing in two steps: a form asks, a page says what would happen, and the button on it does it.
struct ConfirmedAct: Sendable {
    let word: StaticString
    /// The words of the button.
    let label: String
    let route: Route
    let fields: [FormField]
    /// Returns the line of wfctl that does the same.
    let command: @Sendable (_ name: String, FormRequest) -> [String]
    /// Returns what would happen, and changes nothing.
    let rehearse: @Sendable (_ name: String, FormRequest, Visitor) async throws -> String
    /// Does it, and returns the page that shows it. Doing it twice is doing it once.
    let perform: @Sendable (_ name: String, FormRequest, Visitor) async throws -> Link

    /// All acts of this kind.
    static let all = [suspendMachine, resumeMachine, activateMachine, retainMachine, setQueue, release]

    /// The field of the button on the page that says what would happen.
    private static let confirmed: StaticString = "confirmed"
    /// The field with the name of a run that the act begins.
    private static let run = "run"

    /// The form that asks.
    ///
    /// - Parameters:
    ///   - typed: The form with what was typed; `nil` for an empty one.
    ///   - mistakes: The mistakes in it by the names of the fields.
    func form(
        _ name: String, _ visitor: Visitor, typed: FormRequest? = nil, _ mistakes: [String: String] = [:]
    ) -> Markup {
        VerbForm(act, name, for: visitor).markup(label) { fields.markup(typed, mistakes, in: word) }
    }

    /// The act of the forms on both pages.
    var act: ConsoleAct {
        ConsoleAct(word, label, by: route) { name, form, visitor in
            do {
                if form.has("\(Self.confirmed)") { return .seeOther(try await perform(name, form, visitor)) }
                let words = try await rehearse(name, form, visitor)
                return .page(confirmation(words, name, form, visitor), for: visitor)
            } catch {
                let problem = ConsolePages.asProblem(error)
                let mistake = (error as? WireError).flatMap { error in fields.first { $0.name == error.path } }
                let content = PageContent("\(label) '\(name)'", command(name, form)) {
                    if mistake == nil { ConsolePages.note(problem) }
                    self.form(name, visitor, typed: form, mistake.map { [$0.name: problem.detail] } ?? [:])
                }
                return .page(content, problem, for: visitor)
            }
        }
    }

    /// The page that says what would happen. Its form carries what was typed.
    private func confirmation(_ words: String, _ name: String, _ form: FormRequest, _ visitor: Visitor) -> PageContent {
        PageContent("\(label) '\(name)'", command(name, form)) {
            Tag.p { words }
            VerbForm(act, name, for: visitor).markup("Do it: \(label)") {
                for field in fields {
                    let isRun = field.name == Self.run
                    FormField.hidden(
                        field.name, form.text(field.name) ?? (isRun ? visitor.newRunName(.resume) : ""))
                }
                Tag.input(.type("hidden"), .name(Self.confirmed), .value("yes"))
            }
        }
    }

    /// Returns an option of wfctl with what was typed; nothing for an empty field.
    static func option(_ option: String, _ name: String, _ form: FormRequest) -> [String] {
        form.text(name).map { [option, $0] } ?? []
    }
}
