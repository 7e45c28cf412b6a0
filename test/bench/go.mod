module github.com/callgate/callgate/test/bench

go 1.26.5

require (
	github.com/callgate/callgate v0.0.0
	github.com/go-json-experiment/json v0.0.0-20260623181947-01eb4420fa68
	github.com/google/jsonschema-go v0.4.3
	github.com/kaptinlin/jsonschema v0.9.8
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/kaptinlin/jsonpointer v0.4.28 // indirect
	golang.org/x/text v0.40.0 // indirect
)

replace github.com/callgate/callgate => ../..

exclude (
	github.com/agentable/go-intl v0.2.14
	github.com/kaptinlin/messageformat-go/mf1 v0.8.3
)
