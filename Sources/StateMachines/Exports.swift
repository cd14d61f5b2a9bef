// JSON values are part of this library's API: a program that imports the library gets their members too.
@_exported public import WorkflowJSON
