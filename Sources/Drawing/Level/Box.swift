/// A figure with its size, and the layout of its inside.
struct Box {
    var width: Int
    var height: Int
    /// The height of the strip with the name; 0 for a figure without figures inside.
    var head = 0
    /// The width of the strip's text from the left border.
    var title = 0
    /// The width at the right of the box that its loop and the loop's label take.
    var loop = 0
    /// The distance of arrows from the corners.
    var inset = 12
    /// The inside; `nil` for a figure without figures inside.
    var inside: LevelLayout?

    /// The smallest distance of two arrows on a border.
    static let spacing = 14
    /// The distance of a container's border from its children.
    static let padding = 16
}
