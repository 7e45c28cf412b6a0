package toolcall

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outline writes an offer as "index:name,name!fault …; chosen".
func outline(o Offer) string {
	var parts []string
	for _, e := range o.Entries {
		part := fmt.Sprintf("%d:%s", e.Index, strings.Join(e.Names, ","))
		if e.Fault != EntryOK {
			part += "!" + string(e.Fault)
		}
		for _, s := range e.Schemas {
			part += "~" + []string{"7", "2020", "openapi"}[s.Language]
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ")
	if len(o.Chosen) > 0 {
		text += " ; " + strings.Join(o.Chosen, ",")
	}
	return text
}

var offerShapes = []struct {
	about  string
	format Format
	body   string
	want   string
}{
	{"chat: function, custom, legacy, built-in", OpenAIChat,
		`{"messages":[],"tools":[{"type":"function","function":{"name":"a","parameters":{}}},{"type":"custom","custom":{"name":"b"}},{"type":"browser_search"}],"functions":[{"name":"c","parameters":{}}]}`,
		`0:a~7 1:b 2:browser_search 3:c~7`},
	{"chat: null parameters are none", OpenAIChat, `{"tools":[{"type":"function","function":{"name":"a","parameters":null}}]}`, `0:a`},
	{"chat: a flat custom tool", OpenAIChat, `{"tools":[{"type":"custom","name":"ApplyPatch"}]}`, `0:ApplyPatch`},
	{"chat: web search by options", OpenAIChat, `{"tools":[],"web_search_options":{}}`, `0:web_search`},
	{"chat: choices", OpenAIChat,
		`{"tools":[],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"a"}},{"type":"custom","custom":{"name":"b"}}]}},"function_call":{"name":"c"}}`,
		` ; a,b,c`},
	{"chat: choices that name none", OpenAIChat, `{"tools":[],"tool_choice":"auto","function_call":"none"}`, ``},
	{"a word that is no choice is a name", OpenAIChat, `{"tools":[],"tool_choice":"drop_table"}`, ` ; drop_table`},
	{"two names", OpenAIChat, `{"tools":[{"type":"function","name":"a","function":{"name":"b"}}]}`, `0:a,b!two_names`},
	{"one name twice over", OpenAIChat, `{"tools":[{"type":"function","name":"a","function":{"name":"a"}}]}`, `0:a`},
	{"function and custom", OpenAIChat, `{"tools":[{"type":"function","function":{"name":"a"},"custom":{"name":"b"}}]}`, `0:a,b!two_names`},
	{"an empty name is none", OpenAIChat, `{"tools":[{"type":"function","name":"","function":{"name":"b"}}]}`, `0:b`},
	{"no name", OpenAIChat, `{"tools":[{"type":"function","function":{}},{"type":"function","function":{"name":""}},{}]}`, `0:!no_name 1:!no_name 2:!no_name`},
	{"no object", OpenAIChat, `{"tools":["a",null,[]]}`, `0:!not_an_object 1:!not_an_object 2:!not_an_object`},
	{"a name of the wrong kind", OpenAIChat, `{"tools":[{"type":"function","function":{"name":["a"]}}]}`, `0:!ambiguous`},
	{"a type of the wrong kind", OpenAIChat, `{"tools":[{"type":7,"name":"a"}]}`, `0:a!ambiguous`},
	{"a duplicate key", OpenAIChat, `{"tools":[{"name":"a","name":"b"}]}`, `0:a,b!ambiguous`},
	{"another spelling", OpenAIChat, `{"tools":[{"name":"a","Name":"b"},{"type":"function","function":{"name":"c","NAME":"d"}}]}`, `0:a,b!ambiguous 1:c,d!ambiguous`},
	{"declared twice", OpenAIChat, `{"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}],"functions":[{"name":"a"}]}`,
		`0:a!declared_twice 1:a!declared_twice 2:a!declared_twice`},

	{"Responses: flat, namespace, built-ins", OpenAIResponses,
		`{"input":"x","tools":[{"type":"function","name":"a","parameters":{}},{"type":"namespace","name":"n","tools":[{"type":"function","name":"b","parameters":{}},{"type":"custom","name":"c"}]},{"type":"web_search_preview_2025_03_11"},{"type":"code_interpreter","container":{"type":"auto"}}]}`,
		`0:a~7 1:n/b~7 1:n/c 2:web_search_preview 3:code_interpreter`},
	{"Responses: a namespace of its own is no tool", OpenAIResponses, `{"tools":[{"type":"namespace","name":"n"},{"type":"namespace","name":"m","tools":[]}]}`, `0:!no_name 1:!no_name`},
	{"Responses: a namespace without a name", OpenAIResponses, `{"tools":[{"type":"namespace","tools":[{"type":"function","name":"b"}]}]}`, `0:b 0:!no_name`},
	{"Responses: tools within a function", OpenAIResponses, `{"tools":[{"type":"function","name":"a","tools":[{"name":"b"}]}]}`, `0:a/b 0:a`},
	{"Responses: nested namespaces", OpenAIResponses, `{"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m","tools":[{"name":"b"}]}]}]}`, `0:n/m/b`},
	{"Responses: mcp", OpenAIResponses,
		`{"tools":[{"type":"mcp","server_label":"w","server_url":"https://x","allowed_tools":["s","t"]},{"type":"mcp","server_label":"v"},{"type":"mcp","server_label":"u","allowed_tools":{"read_only":true}},{"type":"mcp","server_label":"t","allowed_tools":{"tool_names":["q"]}},{"type":"mcp","server_label":"r","allowed_tools":[]}]}`,
		`0:w/s,w/t 1:mcp:v 2:mcp:u 3:t/q 4:mcp:r`},
	{"Responses: mcp without a label, or with a name", OpenAIResponses, `{"tools":[{"type":"mcp"},{"type":"mcp","server_label":"w","name":"a"},{"type":"function","name":"a","server_label":"w"}]}`,
		`0:!no_name 1:a,mcp:w!two_names 2:a,mcp:w!two_names`},
	{"Responses: a built-in under another name", OpenAIResponses, `{"tools":[{"type":"web_search","name":"get_weather"}]}`, `0:get_weather,web_search!two_names`},
	{"Responses: choices", OpenAIResponses, `{"tools":[],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a"},{"type":"mcp","server_label":"w"},{"type":"image_generation"}]}}`, ` ; a,mcp:w,image_generation`},
	{"Responses: an mcp choice", OpenAIResponses, `{"tools":[],"tool_choice":{"type":"mcp","server_label":"w","name":"s"}}`, ` ; w/s`},
	{"Responses: tools in the input", OpenAIResponses,
		`{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"b"}]},{"type":"tool_search_output","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"c"}]}]},{"type":"mcp_list_tools","server_label":"w","tools":[{"name":"x"}]}],"tools":[{"type":"function","name":"b"}]}`,
		`0:b 1:b 2:n/c`},

	{"Anthropic: tools, typed tools, toolsets, servers", Anthropic,
		`{"messages":[],"tools":[{"name":"a","input_schema":{}},{"type":"custom","name":"b","input_schema":{}},{"type":"web_search_20250305","name":"web_search"},{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"},{"type":"mcp_toolset","mcp_server_name":"gh","default_config":{"enabled":false},"configs":{"s":{"enabled":true},"t":{}}}],"mcp_servers":[{"type":"url","name":"gh","url":"https://x"},{"type":"url","name":"jira","url":"https://y"},{"type":"url","name":"wiki","url":"https://z","tool_configuration":{"allowed_tools":["q"]}}],"tool_choice":{"type":"tool","name":"a"}}`,
		`0:a~2020 1:b~2020 2:web_search 3:str_replace_based_edit_tool 4:gh/s 6:mcp:jira 7:wiki/q ; a`},
	{"Anthropic: a toolset without a filter", Anthropic, `{"tools":[{"type":"mcp_toolset","mcp_server_name":"gh","configs":{"t":{"enabled":false}}}]}`, `0:mcp:gh`},
	{"Anthropic: a toolset that pins its tools", Anthropic, `{"tools":[{"type":"mcp_toolset","mcp_server_name":"gh","configs":{"t":{"enabled":false}},"tools":[{"name":"s"},{"name":"t"}]}]}`, `0:gh/s`},
	{"Anthropic: a toolset of which nothing gets through", Anthropic, `{"tools":[{"type":"mcp_toolset","mcp_server_name":"gh","default_config":{"enabled":false}}]}`, `0:`},
	{"Anthropic: a toolset whose filter cannot be read", Anthropic, `{"tools":[{"type":"mcp_toolset","mcp_server_name":"gh","default_config":{"enabled":"no"}},{"type":"mcp_toolset","mcp_server_name":"x","configs":{"a":{},"a":{}}}]}`,
		`0:mcp:gh!ambiguous 1:mcp:x!ambiguous`},
	{"Anthropic: a typed tool without a name", Anthropic, `{"tools":[{"type":"bash_20250124"},{"type":"browser_toolset_20260801"}]}`, `0:bash 1:browser_toolset`},
	{"Anthropic: a typed tool under another name", Anthropic, `{"tools":[{"type":"bash_20250124","name":"get_weather"}]}`, `0:get_weather,bash!two_names`},
	{"Anthropic: an empty name beside a chat function", Anthropic, `{"tools":[{"name":"","type":"function","function":{"name":"drop_table","parameters":{}}}]}`, `0:drop_table~7`},
	{"Anthropic: one server twice", Anthropic, `{"messages":[],"mcp_servers":[{"name":"a"},{"name":"a"}]}`, `0:mcp:a!declared_twice 1:mcp:a!declared_twice`},
	{"Anthropic: additions in the conversation", Anthropic,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_addition","tool":{"type":"tool_reference","name":"a"}},{"type":"tool_addition","tool":{"type":"mcp_tool_reference","server_name":"gh","name":"s"}},{"type":"tool_addition","tool":{"type":"mcp_toolset_reference","server_name":"gh"}},{"type":"tool_removal","tool":{"type":"tool_reference","name":"z"}}]},{"role":"assistant","content":[{"type":"compaction","content":"x","tool_changes":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"d","input_schema":{}}}}]}]}],"tools":[{"name":"a"}]}`,
		`0:a 1:d~2020 ; a,gh/s,mcp:gh`},

	{"Gemini: declarations and built-ins", Gemini,
		`{"contents":[],"tools":[{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT"}},{"name":"b","parametersJsonSchema":{}}],"codeExecution":{}},{"googleSearch":{}},{"url_context":{}},{"function_declarations":[{"name":"c","parameters_json_schema":{}}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a"]}}}`,
		`0:a~openapi 0:b~7 0:codeExecution 1:googleSearch 2:urlContext 3:c~7 ; a`},
	{"Gemini: both spellings", Gemini, `{"tools":[{"functionDeclarations":[{"name":"a"}],"function_declarations":[{"name":"b"}]}]}`, `0:a 0:b 0:!ambiguous`},
	{"Gemini: the same built-in in both spellings", Gemini, `{"tools":[{"googleSearch":{},"google_search":{}}]}`, `0:googleSearch!declared_twice 0:googleSearch!declared_twice`},
	{"Gemini: nothing offered", Gemini, `{"tools":[{},{"functionDeclarations":[]},{"googleSearch":null}]}`, `0:!no_name 1:!no_name 2:!no_name`},
	{"Gemini: a name beside declarations", Gemini, `{"tools":[{"name":"x","functionDeclarations":[{"name":"a"}]}]}`, `0:a 0:x!two_names`},
	{"Gemini: a server beside declarations", Gemini, `{"tools":[{"server_label":"w","functionDeclarations":[{"name":"a"}]}]}`, `0:a 0:!two_names`},
	{"Gemini: snake case config", Gemini, `{"contents":[],"tool_config":{"function_calling_config":{"allowed_function_names":["a"]}}}`, ` ; a`},

	{"Bedrock", Bedrock,
		`{"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":{}}}},{"cachePoint":{"type":"default"}},{"systemTool":{"name":"nova_grounding"}}],"toolChoice":{"tool":{"name":"a"}}}}`,
		`0:a~7 2:nova_grounding ; a`},
	{"Bedrock: tools passed on to the model", Bedrock, `{"messages":[],"additionalModelRequestFields":{"tools":[{"type":"bash_20250124","name":"bash"}]}}`, `0:bash`},
	{"Bedrock: a cachePoint beside a tool", Bedrock, `{"toolConfig":{"tools":[{"cachePoint":{},"toolSpec":{"name":"a"}}]}}`, `0:a`},

	{"a built-in that goes by its key beside a chat function", OpenAIChat,
		`{"tools":[{"type":"function","function":{"name":"web_search"},"googleSearch":{}},{"type":"function","function":{"name":"a"},"mcpServers":[{"url":"https://x"}]},{"type":"function","function":{"name":"b"},"google_search":null}]}`,
		`0:web_search,googleSearch!two_names 1:a,mcpServers!two_names 2:b`},
	{"a built-in beside a name", Anthropic, `{"tools":[{"name":"a","input_schema":{},"codeExecution":{}},{"type":"bash_20250124","name":"bash","code_execution":{}}]}`,
		`0:a,codeExecution!two_names~2020 1:bash,codeExecution!two_names`},
	{"a built-in beside a toolSpec", Bedrock, `{"toolConfig":{"tools":[{"toolSpec":{"name":"a"},"codeExecution":{}}]}}`, `0:a,codeExecution!two_names`},
	{"a built-in beside a flat function", OpenAIResponses, `{"tools":[{"type":"function","name":"a","google_search":{}},{"type":"function","name":"b","URLContext":{}}]}`,
		`0:a,googleSearch!two_names 1:b,urlContext!two_names`},
	{"a built-in in a namespace, and in a namespace's tool", OpenAIResponses, `{"tools":[{"type":"namespace","name":"n","googleMaps":{},"tools":[{"name":"a"}]},{"type":"namespace","name":"m","tools":[{"name":"a","fileSearch":{}}]}]}`,
		`0:n/a 0:n,googleMaps!two_names 1:m/a,m/fileSearch!two_names`},
	{"a built-in beside an MCP server", OpenAIResponses, `{"tools":[{"type":"mcp","server_label":"w","googleSearch":{}}]}`, `0:googleSearch,mcp:w!two_names`},
	{"a built-in beside a provider's tool", OpenAIResponses, `{"tools":[{"type":"web_search","filters":{"allowed_domains":[]},"user_location":{}},{"type":"web_search","googleSearch":{}}]}`,
		`0:web_search!declared_twice 1:googleSearch,web_search!two_names`},
	{"a built-in of a legacy function", OpenAIChat, `{"functions":[{"name":"a","retrieval":{}}]}`, `0:a,retrieval!two_names`},
	{"a built-in of a declaration", Gemini, `{"tools":[{"functionDeclarations":[{"name":"a","googleSearch":{}}]}]}`, `0:a,googleSearch!two_names`},
	{"a built-in alone, in a format that has none", OpenAIChat, `{"tools":[{"googleSearch":{}}]}`, `0:googleSearch`},
	{"an object that nobody knows beside a name", OpenAIChat, `{"tools":[{"type":"function","function":{"name":"a"},"next_search":{}}]}`, `0:a,nextSearch!two_names`},
	{"objects that are no tool", MCP, `{"tools":[{"name":"a","inputSchema":{},"outputSchema":{},"annotations":{},"_meta":{},"execution":{},"icons":[{}],"x-vendor":{}}]}`, `0:a~2020`},
	{"a schema of another format's in a function", OpenAIChat, `{"tools":[{"type":"function","function":{"name":"a","input_schema":{"type":"int"},"parametersJsonSchema":{}}}]}`, `0:a~7~2020`},

	{"Bedrock: a schema without json, or with more", Bedrock,
		`{"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"type":"int"}}},{"toolSpec":{"name":"b","inputSchema":{"json":{},"type":"int"}}},{"toolSpec":{"name":"c","inputSchema":{"JSON":{}}}},{"toolSpec":{"name":"d","inputSchema":[]}},{"toolSpec":{"name":"e","inputSchema":{}}},{"toolSpec":{"name":"f","inputSchema":null}}]}}`,
		`0:a!ambiguous 1:b!ambiguous~7 2:c!ambiguous 3:d!ambiguous 4:e 5:f`},
	{"Bedrock: a cachePoint that holds a tool", Bedrock,
		`{"toolConfig":{"tools":[{"cachePoint":{"toolSpec":{"name":"a"}}},{"cachePoint":{"type":"default","name":"a"}},{"cachePoint":[]},{"cachePoint":{"type":"default","ttl":"1h"}}]}}`,
		`0:!no_name 1:!no_name 2:!no_name`},

	{"MCP: a response", MCP, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"pods.list","inputSchema":{"type":"object"}}]}}`, `0:pods.list~2020`},
	{"MCP: a result", MCP, `{"tools":[{"name":"pods.list","inputSchema":{"type":"object"}}],"nextCursor":"x"}`, `0:pods.list~2020`},
}

func TestOffers(t *testing.T) {
	for _, test := range offerShapes {
		t.Run(test.about, func(t *testing.T) {
			o, err := DecodeOffer(test.format, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(o); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if check(o.RequestTools) != nil {
				t.Errorf("the validator would get %s", o.RequestTools)
			}
		})
	}
}

func TestBodiesThatAreNoRequest(t *testing.T) {
	for about, test := range map[string]struct {
		format Format
		body   string
		want   string
	}{
		"no JSON":                    {OpenAIChat, `{"tools":`, "invalid JSON"},
		"no object":                  {OpenAIChat, `[]`, "expected an object"},
		"nothing of a request":       {OpenAIChat, `{"request":{"tools":[]}}`, "none of the fields"},
		"another format's":           {Bedrock, `{"contents":[]}`, "none of the fields"},
		"an unknown format":          {"Cohere", `{"tools":[]}`, "not supported"},
		"Native is no message":       {Native, `{"tools":[]}`, "not supported"},
		"tools twice":                {OpenAIChat, `{"tools":[],"tools":[]}`, "occurs twice"},
		"tools in another spelling":  {OpenAIChat, `{"tools":[],"Tools":[{"name":"x"}]}`, "spelt differently"},
		"tools that are no list":     {OpenAIChat, `{"tools":{"name":"x"}}`, "must be a list"},
		"a choice of nothing":        {OpenAIChat, `{"tools":[],"tool_choice":{"type":"function"}}`, "names no tool"},
		"a choice of a number":       {OpenAIChat, `{"tools":[],"tool_choice":7}`, "must be a word or an object"},
		"a choice with keys twice":   {OpenAIChat, `{"tools":[],"tool_choice":{"type":"function","name":"a","name":"b"}}`, "cannot be understood"},
		"an addition of nothing":     {Anthropic, `{"messages":[{"content":[{"type":"tool_addition","tool":{}}]}]}`, "names no tool"},
		"both spellings of config":   {Gemini, `{"contents":[],"toolConfig":{},"tool_config":{}}`, "occurs twice"},
		"a JSON-RPC error":           {MCP, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}`, "none of the fields"},
		"a batch":                    {MCP, `[{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}]`, "expected an object"},
		"Auto with nothing to go by": {Auto, `{"tools":[{"name":"x"}]}`, "more than one format"},
		"Auto of no format":          {Auto, `{"contents":[],"messages":[]}`, "none of the formats"},
		"too many tools":             {OpenAIChat, `{"tools":[` + strings.Repeat(`{},`, MaxOffered) + `{}]}`, "at most"},
		"too many nested tools":      {OpenAIResponses, `{"tools":[` + strings.Repeat(`{"type":"namespace","name":"n","tools":[`+strings.Repeat(`{},`, 1000)+`{}]},`, 3) + `{}]}`, "more than"},
	} {
		t.Run(about, func(t *testing.T) {
			_, err := DecodeOffer(test.format, []byte(test.body))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
			if e, ok := errors.AsType[*EnvelopeError](err); !ok || e.Status != 400 {
				t.Errorf("%v is no EnvelopeError of status 400", err)
			}
		})
	}
}

func TestFormatOfAnOfferIsFound(t *testing.T) {
	for body, want := range map[string]Format{
		`{"messages":[],"tools":[{"type":"function","function":{"name":"a"}}]}`:            OpenAIChat,
		`{"messages":[],"tools":[{"type":"function","name":"a","function":{"name":"b"}}]}`: OpenAIChat,
		`{"messages":[],"functions":[{"name":"a"}]}`:                                       OpenAIChat,
		`{"input":"x","tools":[{"type":"web_search"}]}`:                                    OpenAIResponses,
		`{"tools":[{"type":"function","name":"a","parameters":{}}]}`:                       OpenAIResponses,
		`{"messages":[],"tools":[{"name":"a","input_schema":{}}]}`:                         Anthropic,
		`{"messages":[],"tools":[{"type":"bash_20250124","name":"bash"}]}`:                 Anthropic,
		`{"contents":[],"tools":[{"functionDeclarations":[{"name":"a"}]}]}`:                Gemini,
		`{"tools":[{"googleSearch":{}}]}`:                                                  Gemini,
		`{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}}]}}`:                             Bedrock,
		`{"toolConfig":{"functionCallingConfig":{}},"tools":[{"google_search":{}}]}`:       Gemini,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}`:      MCP,
		`{"tools":[{"name":"a","inputSchema":{}}]}`:                                        MCP,
		`{"system":"x","messages":[],"max_tokens":5,"tools":[{"name":"a"}],"model":"m"}`:   Anthropic,
		`{"messages":[],"tools":[{"type":"custom","custom":{"name":"a"}}],"max_tokens":5}`: OpenAIChat,
	} {
		o, err := DecodeOffer(Auto, []byte(body))
		if err != nil || o.Format != want {
			t.Errorf("%s: %s, %v; want %s", body, o.Format, err, want)
		}
	}
	// Whatever Auto finds, each of the shapes above gives the same entries.
	for _, test := range offerShapes {
		if o, err := DecodeOffer(Auto, []byte(test.body)); err == nil && o.Format == test.format && outline(o) != test.want {
			t.Errorf("%s: Auto gives %s, want %s", test.about, outline(o), test.want)
		}
	}
}

func TestRequestReviews(t *testing.T) {
	wrap := func(request string) []byte {
		return []byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolRequestReview","request":` + request + `}`)
	}
	for request, want := range map[string]string{
		`{"uid":"u","tools":["a","b"]}`: "Native 0:a 1:b",
		`{"tools":[]}`:                  "Native ",
		`{"tools":["a","a",""," ",7]}`:  "Native 0:a!declared_twice 1:a!declared_twice 2:!no_name 3:  4:!not_an_object",
		`{"message":{"format":"MCP","body":{"tools":[{"name":"a"}]}}}`: "MCP 0:a",
		`{"tools":[],"message":{}}`:                                    "error",
		`{}`:                                                           "error",
		`{"tools":{}}`:                                                 "error",
		`{"calls":[]}`:                                                 "error",
		`{"tools":[],"onBehalfOf":{"namespace":"x","serviceAccountName":"y"}}`:                  "Native ",
		`{"tools":["a"],"context":{"tenant":"t","attributes":{"x":1}}}`:                         "Native 0:a",
		`{"tools":[],"onBehalfOf":{"namespace":"x"}}`:                                           "error",
		`{"tools":[],"onBehalfOf":{"namespace":"x","serviceAccountName":"y","uid":"z"}}`:        "error",
		`{"tools":[],"context":{"tenants":"t"}}`:                                                "error",
		`{"tools":[],"context":{"attributes":[1]}}`:                                             "error",
		`{"uid":"no spaces","tools":[]}`:                                                        "error",
		`{"message":{"format":"OpenAIChat"}}`:                                                   "error",
		`{"message":{"format":7,"body":{}}}`:                                                    "error",
		`{"message":{"format":"OpenAIChat","body":{"tools":[]},"Body":{"tools":[{"name":1}]}}}`: "error",
	} {
		o, err := DecodeRequestReview(wrap(request))
		got := string(o.Format) + " " + outline(o)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", request, got, err, want)
		}
	}
	if _, err := DecodeRequestReview([]byte(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"tools":[]}}`)); err == nil {
		t.Error("a ToolCallReview was taken for an offer")
	}
}

func TestGeminiSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["a"]}`:    `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		`{"type":"Integer","nullable":true,"format":"int32"}`:                        `{"type":["integer","null"]}`,
		`{"type":"STRING","enum":["a"],"nullable":true}`:                             `{"type":["string","null"],"enum":["a",null]}`,
		`{"anyOf":[{"type":"STRING"},{"type":"NUMBER"}],"nullable":true}`:            `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}`,
		`{"any_of":[{"type":"STRING"}],"property_ordering":["a"]}`:                   `{"anyOf":[{"type":"string"}]}`,
		`{"type":"ARRAY","items":{"type":"BOOLEAN"},"minItems":"1","max_items":"9"}`: `{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":9}`,
		`{"type":"TYPE_UNSPECIFIED","description":"x","example":7}`:                  `{"description":"x"}`,
		`{"properties":{"type":{"type":"STRING"},"nullable":{"type":"NUMBER"}}}`:     `{"properties":{"type":{"type":"string"},"nullable":{"type":"number"}}}`,
		`{"ref":"#/defs/P","defs":{"P":{"type":"OBJECT"}}}`:                          `{"$ref":"#/defs/P","defs":{"P":{"type":"object"}}}`,
		`{"type":"ANY"}`: `{"type":"any"}`,
		`true`:           `true`,
	} {
		if got := string(OfferedSchema{Text: []byte(schema), Language: LanguageOpenAPI}.JSONSchema()); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", schema, got, want)
		}
	}
	raw := []byte(`{"type":"OBJECT"}`)
	if got := (OfferedSchema{Text: raw}).JSONSchema(); !slices.Equal(got, raw) {
		t.Errorf("a JSON Schema was changed to %s", got)
	}
}
