/// A version of the language: its functions and syntax.
///
/// An expression in use keeps its version, so its result never changes, and neither does its failure.
package enum LanguageVersion: Sendable {
    case first
    /// `duration` accepts `30d`, `1w` and `P3D` in all strings, and so do values of that type. `format` has `%02d`.
    case second

    /// The newest version.
    package static let current = LanguageVersion.second
}
