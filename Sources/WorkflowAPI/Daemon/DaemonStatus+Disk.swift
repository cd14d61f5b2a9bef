extension DaemonStatus {
    /// The space that the database takes on its disk, in bytes.
    public struct Disk: Equatable, WireRecord {
        /// The size of the database file.
        public var file: Int64
        /// The number of pages of the file; `nil` from an older daemon.
        public var pages: Int64?
        /// The number of unused pages of the file; `nil` from an older daemon.
        public var freePages: Int64?
        /// The size of the write-ahead log.
        public var log: Int64
        /// The milliseconds for which a reader has kept the log from starting over, at least; `nil` if no reader does.
        public var logHeld: Int64?
        /// The milliseconds for which the log has contained erased data; `nil` if it contains none.
        public var logErased: Int64?
        /// The free space on the disk; `nil` if it is unknown.
        public var free: Int64?

        /// Creates a value from its parts.
        public init(
            file: Int64, pages: Int64? = nil, freePages: Int64? = nil, log: Int64, logHeld: Int64? = nil,
            logErased: Int64? = nil, free: Int64? = nil
        ) {
            self.file = file
            self.pages = pages
            self.freePages = freePages
            self.log = log
            self.logHeld = logHeld
            self.logErased = logErased
            self.free = free
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            file = try fields.required("file", \.file)
            pages = try fields.optional("pages", \.pages)
            freePages = try fields.optional("freePages", \.freePages)
            log = try fields.required("log", \.log)
            logHeld = try fields.optional("logHeld", \.logHeld)
            logErased = try fields.optional("logErased", \.logErased)
            free = try fields.optional("free", \.free)
        }
    }
}
