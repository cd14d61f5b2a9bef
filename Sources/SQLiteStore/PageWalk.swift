import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A way through all pages of a file that nobody else has open: of each it is known which bytes are used.
struct PageWalk {
    let descriptor: CInt
    let given: String
    private let size: Int
    /// Bytes of a page that SQLite uses.
    private let usable: Int
    private let count: Int
    /// The last root page; 0 where the file has no pointer map.
    private let largestRoot: Int
    private var buffer: [UInt8]
    private var isSeen: [Bool]
    /// Pages that had something where nothing is used, and how many bytes that was.
    private(set) var cleaned = (pages: 0, bytes: 0)
    /// Whether such bytes are overwritten, or only counted.
    private let isWriting: Bool

    /// - Parameter descriptor: Of the file; open for writing where `isWriting`.
    init(_ descriptor: CInt, isWriting: Bool, for given: String) throws(StoreError) {
        self.descriptor = descriptor
        self.given = given
        self.isWriting = isWriting
        let (header, bytes) = try Self.header(of: descriptor, for: given)
        let stated = header.withUnsafeBytes { $0.number16(16) }
        size = stated == 1 ? 65_536 : stated
        usable = size - Int(header[20])
        guard size >= 512, size & (size - 1) == 0, usable >= 480, bytes % size == 0 else {
            throw StoreError(.damaged, "'\(given)' is damaged: its header says pages of \(size) bytes")
        }
        count = bytes / size
        largestRoot = header.withUnsafeBytes { $0.number32(52) }
        buffer = Array(repeating: 0, count: size)
        isSeen = Array(repeating: false, count: count + 1)
    }

    private static func header(of descriptor: CInt, for given: String) throws(StoreError) -> ([UInt8], Int) {
        var header = [UInt8](repeating: 0, count: 100)
        var status = stat()
        guard pread(descriptor, &header, 100, 0) == 100, fstat(descriptor, &status) == 0 else {
            throw StoreError(.damaged, "'\(given)' is damaged: it has no header")
        }
        return (header, Int(status.st_size))
    }

    /// How many pages there are.
    var pages: Int { count }

    /// Goes through all pages.
    ///
    /// - Parameter roots: The first page of each table and index, that of the schema among them.
    mutating func run(roots: [Int]) throws(StoreError) {
        try free()
        for root in roots { try tree(root) }
        for page in stride(from: 1, through: count, by: 1) where !isSeen[page] && !isMap(page) && !isLock(page) {
            throw damaged(page, "nothing leads to it")
        }
    }

    private func isMap(_ page: Int) -> Bool {
        guard largestRoot > 0, page >= 2 else { return false }
        let span = usable / 5 + 1
        let first = (page - 2) / span * span + 2
        // Where the page is that SQLite locks, the map stands behind it.
        return page == (isLock(first) ? first + 1 : first)
    }

    /// The page with the bytes that SQLite locks has no content.
    private func isLock(_ page: Int) -> Bool { page == 0x4000_0000 / size + 1 }

    private mutating func tree(_ root: Int) throws(StoreError) {
        var rest = [root]
        while let number = rest.popLast() {
            try read(number)
            let page: TreePage
            do {
                page = try buffer.withUnsafeBytes { bytes in
                    try TreePage(bytes, usable: usable, start: number == 1 ? 100 : 0)
                }
            } catch {
                throw damaged(number, (error as? TreePage.Mistake)?.message ?? "\(error)")
            }
            try clean(number) { !page.isUsed[$0] }
            for overflow in page.overflows { try chain(overflow) }
            rest += page.children
        }
    }

    /// The pages of a payload that does not fit its cell.
    private mutating func chain(_ overflow: TreePage.Overflow) throws(StoreError) {
        var (number, left) = (overflow.page, overflow.bytes)
        while number != 0 {
            try read(number)
            let next = buffer.withUnsafeBytes { $0.number32(0) }
            let used = 4 + min(max(0, left), usable - 4)
            left -= usable - 4
            let end = usable
            try clean(number) { $0 >= used && $0 < end }
            number = next
        }
        if left > 0 { throw damaged(overflow.page, "what begins there ends too early") }
    }

    /// The pages that nothing uses.
    private mutating func free() throws(StoreError) {
        try load(1)
        var trunk = buffer.withUnsafeBytes { $0.number32(32) }
        while trunk != 0 {
            try read(trunk)
            let (next, leaves) = buffer.withUnsafeBytes { ($0.number32(0), $0.number32(4)) }
            guard 8 + 4 * leaves <= usable else { throw damaged(trunk, "it lists more free pages than fit") }
            let numbers = buffer.withUnsafeBytes { bytes in (0..<leaves).map { bytes.number32(8 + 4 * $0) } }
            let end = usable
            try clean(trunk) { $0 >= 8 + 4 * leaves && $0 < end }
            for number in numbers {
                try read(number)
                try clean(number) { $0 < end }
            }
            trunk = next
        }
    }

    /// Takes a page into the buffer, each once.
    private mutating func read(_ number: Int) throws(StoreError) {
        guard (1...count).contains(number), !isSeen[number] else {
            throw damaged(number, "something leads to it that cannot")
        }
        isSeen[number] = true
        try load(number)
    }

    private mutating func load(_ number: Int) throws(StoreError) {
        guard pread(descriptor, &buffer, size, off_t((number - 1) * size)) == size else {
            throw StoreError(.unavailable, "Cannot read '\(given)': \(String(cString: strerror(errno)))")
        }
    }

    /// Overwrites bytes of the page in the buffer. A write that is cut off leaves what is used as it was.
    private mutating func clean(_ number: Int, _ isUnused: (Int) -> Bool) throws(StoreError) {
        var bytes = 0
        for place in 0..<size where buffer[place] != 0 && isUnused(place) {
            buffer[place] = 0
            bytes += 1
        }
        guard bytes > 0 else { return }
        cleaned.pages += 1
        cleaned.bytes += bytes
        guard isWriting else { return }
        guard pwrite(descriptor, buffer, size, off_t((number - 1) * size)) == size else {
            throw StoreError(.unavailable, "Cannot write to '\(given)': \(String(cString: strerror(errno)))")
        }
    }

    private func damaged(_ page: Int, _ what: String) -> StoreError {
        StoreError(.damaged, "'\(given)' is damaged: page \(page): \(what); nothing more was changed, restore a backup")
    }
}
