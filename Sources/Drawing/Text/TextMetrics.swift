/// The widths of texts in pixels: those of DejaVu Sans, which is wider than most fonts, and 5 % more.
enum TextMetrics {
    /// A style of text.
    enum Style {
        case name, title, label

        /// The size of the font in pixels.
        var size: Double {
            switch self {
            case .name, .title: 12
            case .label: 10.5
            }
        }

        /// The width in relation to the regular font.
        var stretch: Double {
            switch self {
            case .title: 1.2
            case .name, .label: 1.05
            }
        }
    }

    /// The height of a line of a label.
    static let line = 14

    /// Returns the width of a text, rounded up to an even number.
    static func width(of text: String, _ style: Style) -> Int {
        let thousandths = text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
        return (Double(thousandths) * style.size * style.stretch / 1_000).roundedUp
    }

    /// Returns the width of a character in thousandths of the font's size.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7F).contains(scalar.value) { return ascii[Int(scalar.value) - 0x20] }
        if scalar.value < 0x250 || scalar == "…" { return 1_000 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1_400
        }
    }

    /// The advance widths of the characters from space to tilde, from the font's table `hmtx`.
    private static let ascii = [
        318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636,
        636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656,
        557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613,
        635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
        592, 592, 525, 636, 337, 636, 838,
    ]
}

extension String {
    /// Returns the beginning of the text that is at most as wide as a label of some pixels.
    func fitting(_ width: Int) -> String {
        var text = self
        while TextMetrics.width(of: text, .label) > width { text.unicodeScalars.removeLast() }
        return text
    }
}

extension Double {
    /// The next even number of pixels that is not smaller.
    fileprivate var roundedUp: Int { Int((self / 2).rounded(.up)) * 2 }
}
