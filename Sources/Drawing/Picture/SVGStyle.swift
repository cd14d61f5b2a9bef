/// The origin of a picture's colors.
package enum SVGStyle: Sendable {
    /// A style sheet in the picture, for light and dark surroundings.
    case embedded
    /// No style: the page around the picture has rules for its classes.
    case none

    /// The classes: `state` with its kind, `region` and `active`; `transition` with `taken`.
    package static let sheet = """
        .paper{fill:#fff}
        .box{fill:#fff;stroke:#5b6472;stroke-width:1.3}
        .compound>.box,.parallel>.box,.plate{fill:#f6f8fb}
        .region>.box{stroke:#9aa3b2;stroke-dasharray:5 4}
        .folded>.box{fill:#eaeef4}
        .inner{fill:none;stroke:#5b6472;stroke-width:1.3}
        .rule{fill:none;stroke:#d4dae3}
        .line,.sign{fill:none;stroke:#5b6472;stroke-width:1.3}
        .fallback>.line{stroke-dasharray:4 3}
        .head{fill:#5b6472}
        .dot,text{fill:#1c2430}
        .label text,.detail{fill:#33415a}
        .active>.box{fill:#fff1c9;stroke:#b07800;stroke-width:2}
        .active.compound>.box,.active.parallel>.box{fill:#fffaeb}
        .active>.inner{stroke:#b07800}
        .taken>.line{stroke:#1762c4;stroke-width:2}
        .taken>.head,.detail.taken{fill:#1762c4}
        .label .count{fill:#1c2430;font-weight:600}
        .detail.taken{text-decoration:underline}
        .state:focus-visible>.box{stroke:#1762c4;stroke-width:3}
        @media (prefers-color-scheme:dark){
        .paper{fill:#12161c}
        .box{fill:#1e252f;stroke:#93a0b4}
        .compound>.box,.parallel>.box,.plate{fill:#171c24}
        .region>.box{stroke:#66748a}
        .folded>.box{fill:#27303d}
        .inner,.line,.sign{stroke:#93a0b4}
        .rule{stroke:#323c4a}
        .head{fill:#93a0b4}
        .dot,text{fill:#e6ebf2}
        .label text,.detail{fill:#b9c5d6}
        .active>.box{fill:#4a3a10;stroke:#e0ad3c}
        .active.compound>.box,.active.parallel>.box{fill:#241f12}
        .active>.inner{stroke:#e0ad3c}
        .label .count{fill:#e6ebf2}
        .taken>.line{stroke:#6aa8ff}
        .taken>.head,.detail.taken{fill:#6aa8ff}
        .state:focus-visible>.box{stroke:#6aa8ff}
        }
        """
}
