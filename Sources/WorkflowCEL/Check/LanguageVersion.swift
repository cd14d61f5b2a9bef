/// Which functions and forms the language has.
///
/// An expression that is in use keeps its version: what it gave once, a failure too, it gives for good.
package enum LanguageVersion: Sendable {
    case first
    /// `duration` reads `30d`, `1w` and `P3D` in every text, and so do values of that type. `format` has `%02d`.
    case second

    /// The newest.
    package static let current = LanguageVersion.second
}
