// Package adapter runs a tool call that was allowed: it looks the record up where the
// tool's ToolAdapter says, and copies the fields out of it that the tool's ToolSchema
// names (design section 7).
//
// Compile and NewProjection are pure; an Executor does the rest. What a model wrote
// reaches a backend only as one path segment or one query value, or as the JSON body of
// arguments that were judged. What a backend answers leaves only through a Projection:
// its texts are in no error, no log and no metric.
package adapter
