/// A short text that a page adds to a state, such as the number of instances there, and a link to more.
package struct SceneNote: Sendable {
    /// The text in the picture, cut where it does not fit into the room of a note.
    package let text: String
    /// The whole in words, for people who point at the note or hear it.
    package let title: String
    /// The address that the note leads to. The page vouches for it.
    package let address: String
    /// True for a note about something bad, which has the class `grave`.
    package let isBad: Bool

    /// Creates a note from its parts.
    package init(text: String, title: String, address: String, isBad: Bool = false) {
        (self.text, self.title, self.address, self.isBad) = (text, title, address, isBad)
    }

    /// The room of a note in pixels: `9999 !` fits.
    static let width = 52
    static let height = 16
    /// The height of a line that holds a note alone.
    static let line = 18

    /// The text as far as it fits.
    var shown: String { ShownText.line(text, DrawingLimits.name).fitting(Self.width - 8) }
}
