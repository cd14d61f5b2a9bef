/// A version of the language: its functions and forms.
///
/// An expression in use keeps its version, so it always gives the same result, also the same failure.
package enum LanguageVersion: Sendable {
    case first
    /// `duration` reads `30d`, `1w` and `P3D` in every text, and so do values of that type. `format` has `%02d`.
    case second

    /// The newest version.
    package static let current = LanguageVersion.second
}
