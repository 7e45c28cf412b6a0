package verdictan

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/objectname"
	"github.com/callgate/callgate/internal/rawjson"
)

// schemaName makes the name of a ToolSchema, and says so where it is not what one would
// guess.
func (c *converter) schemaName(tool string) string {
	name, other := c.names.For(tool, "tool")
	if other != "" {
		c.add(Warning, rawjson.AppendToken(section+"/schemas", tool), "%q and %q make the same name of an object: the second is called %s", other, tool, name)
	}
	return name
}

// onlyName is the name of the only object of its kind.
func onlyName(text, fallback string) string {
	name, _ := new(objectname.Names).For(text, fallback)
	return name
}

// where names an object of the configuration for people.
func where(ptr string) string {
	if ptr == "" {
		return "a configuration"
	}
	return strings.ReplaceAll(strings.TrimPrefix(ptr, "/"), "/", ".")
}

func list(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}
