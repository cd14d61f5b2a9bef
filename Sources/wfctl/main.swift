import Foundation
import WorkflowCommand

let arguments = Array(CommandLine.arguments.dropFirst())
let environment = CommandEnvironment.ofProcess(variables: ProcessInfo.processInfo.environment)
exit(await CommandLineRun(environment: environment)(arguments))
