import WorkflowDates

extension FunctionLibrary {
    /// The functions that read fields of timestamps, in UTC or in a time zone, and of durations.
    static let timeFunctions: [Overload] =
        fields.flatMap { field in
            [
                .native(.member, field.name) { (moment: Timestamp, _) in
                    field.read(CalendarTime(moment, offset: 0))
                },
                .native(.member, field.name) { (moment: Timestamp, zone: String, budget) throws(EvaluationError) in
                    let offset = try ZoneOffset(of: zone, &budget).seconds(at: moment.seconds)
                    return field.read(CalendarTime(moment, offset: offset))
                },
            ]
        }
        + [
            duration("getHours") { $0 / 3_600_000_000_000 },
            duration("getMinutes") { $0 / 60_000_000_000 },
            duration("getSeconds") { $0 / 1_000_000_000 },
            // The part below a second, unlike the other fields: google/cel-spec,
            // tests/simple/testdata/timestamps.textproto.
            duration("getMilliseconds") { $0 % 1_000_000_000 / 1_000_000 },
        ]

    /// The functions that move a timestamp in the calendar of a place.
    static let calendarFunctions: [Overload] = [
        .native(.member, "addMonths") {
            (moment: Timestamp, months: Int64, zone: String, budget) throws(EvaluationError) in
            try budget.take(LocalTime.steps)
            let zone = try ZoneOffset(of: zone, &budget)
            let offset = zone.seconds(at: moment.seconds)
            let later = try LocalTime(moment, offset: offset).adding(months: months)
            return try later.moment(in: zone, keeping: offset)
        }
    ]

    private static let fields: [(name: String, read: @Sendable (CalendarTime) -> Int64)] = [
        ("getFullYear", { $0.date.year }),
        ("getMonth", { $0.date.month - 1 }),
        ("getDayOfMonth", { $0.date.day - 1 }),
        ("getDate", { $0.date.day }),
        ("getDayOfWeek", { $0.date.dayOfWeek }),
        ("getDayOfYear", { $0.date.dayOfYear }),
        ("getHours", { $0.secondOfDay / 3600 }),
        ("getMinutes", { $0.secondOfDay / 60 % 60 }),
        ("getSeconds", { $0.secondOfDay % 60 }),
        ("getMilliseconds", { Int64($0.nanoseconds) / 1_000_000 }),
    ]

    private static func duration(_ name: String, _ read: @escaping @Sendable (Int64) -> Int64) -> Overload {
        .native(.member, name) { (duration: Duration, _) throws(EvaluationError) in
            read(try TimeSpan.nanoseconds(duration))
        }
    }
}

/// A moment on the calendar and clock of a place.
private struct CalendarTime {
    let date: CivilDate
    let secondOfDay: Int64
    let nanoseconds: Int32

    init(_ moment: Timestamp, offset: Int64) {
        let seconds = moment.seconds + offset
        let days = seconds.dividedDown(by: 86_400)
        date = CivilDate(daysSince1970: days)
        secondOfDay = seconds - days * 86_400
        nanoseconds = moment.nanoseconds
    }
}
