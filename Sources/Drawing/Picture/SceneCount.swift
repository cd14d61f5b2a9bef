/// A number that a page adds to an arrow, such as how often its transitions were taken.
package struct SceneCount: Sendable {
    /// The text in the picture, cut where it does not fit into the room of a number.
    package let text: String
    /// The whole in words, for people who point at the arrow.
    package let title: String

    /// Creates a number from its parts.
    package init(text: String, title: String) {
        (self.text, self.title) = (text, title)
    }

    /// The text as far as it fits.
    var shown: String { ShownText.line(text, DrawingLimits.name).fitting(ArrowLabel.countRoom) }
}
