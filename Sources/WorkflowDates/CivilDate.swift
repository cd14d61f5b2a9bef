/// A day of the Gregorian calendar, extended backwards before its introduction.
///
/// The arithmetic uses eras of 400 years that begin on 1 March, so that the leap day is the last of its year
/// (https://howardhinnant.github.io/date_algorithms.html).
package struct CivilDate: Sendable, Equatable {
    package let year: Int64
    /// The month, 1 to 12.
    package let month: Int64
    /// The day of the month, 1 to 31.
    package let day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    package init(daysSince1970: Int64) {
        let days = daysSince1970 + Self.daysTo1970
        let era = days.dividedDown(by: Self.daysOfEra)
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1 January 1970; negative before.
    package var daysSince1970: Int64 {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = yearFromMarch.dividedDown(by: 400)
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysTo1970
    }

    /// The day of the year, counted from 0.
    package var dayOfYear: Int64 {
        daysSince1970 - CivilDate(year: year, month: 1, day: 1).daysSince1970
    }

    /// The day of the week; 0 is Sunday.
    package var dayOfWeek: Int64 {
        let days = daysSince1970 + 4
        return days - days.dividedDown(by: 7) * 7
    }

    /// Returns the number of days in a month.
    package static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let daysOfEra: Int64 = 146_097
    /// The days from 1 March of the year 0.
    private static let daysTo1970: Int64 = 719_468
}

extension Int64 {
    /// Returns the quotient rounded toward negative infinity, for a divisor above zero.
    package func dividedDown(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
