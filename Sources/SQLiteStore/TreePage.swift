/// One page of a B-tree, as bytes: what its cells use, and what they lead to
/// (https://sqlite.org/fileformat.html, section 1.6).
struct TreePage {
    /// Why a page cannot be read.
    struct Mistake: Error {
        let message: String
    }

    /// A payload that goes on elsewhere.
    struct Overflow {
        /// Its first page there.
        let page: Int
        /// The bytes that stand there.
        let bytes: Int
    }

    /// The pages below it.
    private(set) var children: [Int] = []
    private(set) var overflows: [Overflow] = []
    /// Which of its bytes are used.
    private(set) var isUsed: [Bool]

    /// - Parameters:
    ///   - page: All bytes of it.
    ///   - usable: How many of them SQLite uses.
    ///   - start: Where the page's header begins: 100 on the first page, and 0 on others.
    init(_ page: UnsafeRawBufferPointer, usable: Int, start: Int) throws(Mistake) {
        guard let kind = Kind(rawValue: page[start]) else { throw Mistake(message: "it is of no known kind") }
        isUsed = Array(repeating: false, count: page.count)
        let header = kind.isInterior ? 12 : 8
        let cells = page.number16(start + 3)
        try use(0, start + header + 2 * cells, upTo: usable)
        // What SQLite does not use is not ours.
        for place in usable..<page.count { isUsed[place] = true }
        if kind.isInterior { children.append(page.number32(start + 8)) }
        for cell in 0..<cells {
            let place = page.number16(start + header + 2 * cell)
            try take(page, at: place, kind, usable)
        }
        try takeFree(page, first: page.number16(start + 1), usable)
    }

    private enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
        var isIndex: Bool { self == .interiorIndex || self == .leafIndex }
    }

    private mutating func use(_ place: Int, _ count: Int, upTo usable: Int) throws(Mistake) {
        guard place >= 0, count >= 0, place + count <= usable else { throw Mistake(message: "it points past its end") }
        for used in place..<(place + count) { isUsed[used] = true }
    }

    private mutating func take(
        _ page: UnsafeRawBufferPointer, at place: Int, _ kind: Kind, _ usable: Int
    ) throws(Mistake) {
        guard place >= 8, place + 4 <= usable else { throw Mistake(message: "it points past its end") }
        var next = place
        if kind.isInterior {
            children.append(page.number32(next))
            next += 4
        }
        var payload = 0
        if kind != .interiorTable { payload = try page.variable(&next, usable) }
        if !kind.isIndex { _ = try page.variable(&next, usable) }
        let local = Self.local(of: payload, usable: usable, isIndex: kind.isIndex)
        next += local
        if local < payload {
            guard next + 4 <= usable else { throw Mistake(message: "it points past its end") }
            overflows.append(Overflow(page: page.number32(next), bytes: payload - local))
            next += 4
        }
        try use(place, next - place, upTo: usable)
    }

    /// How much of a payload stands in its cell.
    private static func local(of payload: Int, usable: Int, isIndex: Bool) -> Int {
        let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
        guard payload > most else { return payload }
        let least = (usable - 12) * 32 / 255 - 23
        let wanted = least + (payload - least) % (usable - 4)
        return wanted <= most ? wanted : least
    }

    /// Of a free block the first four bytes say where the next is, and how long it is.
    private mutating func takeFree(_ page: UnsafeRawBufferPointer, first: Int, _ usable: Int) throws(Mistake) {
        var last = 0
        var place = first
        while place != 0 {
            guard place > last else { throw Mistake(message: "its free blocks are not in order") }
            try use(place, 4, upTo: usable)
            last = place
            place = page.number16(place)
        }
    }
}

extension UnsafeRawBufferPointer {
    func number16(_ place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }

    func number32(_ place: Int) -> Int { number16(place) << 16 | number16(place + 2) }

    /// A number of one to nine bytes; leaves the place behind it.
    fileprivate func variable(_ place: inout Int, _ usable: Int) throws(TreePage.Mistake) -> Int {
        var value: UInt64 = 0
        for count in 1...9 {
            guard place < usable else { throw TreePage.Mistake(message: "it points past its end") }
            let byte = self[place]
            place += 1
            if count == 9 {
                value = value << 8 | UInt64(byte)
                break
            }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return Int(truncatingIfNeeded: value)
    }
}
