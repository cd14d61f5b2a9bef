/// The finished layout of a container's inside, in pixels from the container's left upper corner.
struct LevelLayout {
    /// A part of an arrow.
    struct Part {
        let line: LevelLine
        /// The corners from the source to the target.
        let points: [Scene.Point]
        let labelFrame: Scene.Frame?
    }

    var width = 0
    var height = 0
    /// The places of the children, by figure.
    var frames: [Int: Scene.Frame] = [:]
    var dots: [Scene.Point] = []
    var parts: [Part] = []
    /// The places at which arrows pass the upper border, by arrow.
    var top: [Int: Int] = [:]
    /// The places at which arrows pass the lower border, by arrow.
    var bottom: [Int: Int] = [:]
}
