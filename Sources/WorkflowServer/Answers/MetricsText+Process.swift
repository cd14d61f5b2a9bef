extension MetricsText {
    /// Adds the process's use of system resources, under the names that all exporters use.
    mutating func add(_ usage: ProcessUsage) {
        one("process_cpu_seconds_total", "counter", "Processor time of the process.", usage.cpuSeconds)
        one("process_resident_memory_bytes", "gauge", "Memory that the process has.", usage.residentMemory)
        one("process_virtual_memory_bytes", "gauge", "Addresses that the process has.", usage.virtualMemory)
        if let count = usage.openDescriptors {
            one("process_open_fds", "gauge", "Files and connections that are open.", count)
        }
        if let count = usage.mostDescriptors { one("process_max_fds", "gauge", "How many may be open.", count) }
        if let time = usage.startTime {
            one("process_start_time_seconds", "gauge", "When the process was started.", time)
        }
    }
}
