// Package importer writes ToolPolicies and ToolSchemas for tools that are described
// elsewhere: in a provider's request, an MCP server's answer to tools/list, or the
// configuration of a gateway.
//
// It is pure, and what it makes is a function of its input alone: the same text makes the
// same objects, names included.
package importer
