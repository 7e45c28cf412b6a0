package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/manifest"
)

// The parts of SARIF 2.1.0 that are written (docs.oasis-open.org/sarif/sarif/v2.1.0).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifMessage `json:"shortDescription"`
		Help                 sarifMessage `json:"help"`
		DefaultConfiguration sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifMessage      `json:"message"`
		Locations           []sarifLocation   `json:"locations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
		LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the result as a SARIF 2.1.0 log of one run. version is that of the
// program, "" where it is not known.
func (r Result) SARIF(version string) ([]byte, error) {
	run := sarifRun{
		Tool:        sarifTool{Driver: sarifDriver{Name: "callgate", Version: version, Rules: make([]sarifRule, 0, len(rules))}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: !r.Unreadable()}},
		Results:     make([]sarifResult, 0, len(r.Findings)),
		ColumnKind:  "unicodeCodePoints",
	}
	for _, rule := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.ID, ShortDescription: sarifMessage{rule.Summary}, Help: sarifMessage{rule.Help},
			DefaultConfiguration: sarifLevel{rule.Severity.String()},
		})
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, sarifResultOf(f))
	}
	return indented(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifResultOf(f Finding) sarifResult {
	result := sarifResult{
		RuleID: f.Rule, Level: f.Severity.String(), Message: sarifMessage{noLinks(f.Message)},
		RuleIndex:           slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }),
		PartialFingerprints: map[string]string{"callgate/v1": fingerprint(f)},
	}
	var at sarifLocation
	if f.File != "" {
		at.PhysicalLocation = &sarifPhysical{ArtifactLocation: artifact(f.Position)}
		if f.Line > 0 {
			at.PhysicalLocation.Region = &sarifRegion{f.Line, f.Column}
		}
	}
	if f.Object != "" {
		at.LogicalLocations = []sarifLogical{{FullyQualifiedName: f.Object + f.Place(), Kind: "object"}}
	}
	if at.PhysicalLocation != nil || at.LogicalLocations != nil {
		result.Locations = []sarifLocation{at}
	}
	return result
}

// noLinks keeps a viewer from taking text of the files for a link, which SARIF writes
// "[text](target)".
func noLinks(s string) string { return strings.ReplaceAll(s, "](", "] (") }

// artifact names a file as a URL: relative to where the command ran, unless the user
// named it from the root.
func artifact(p manifest.Position) sarifArtifact {
	if p.File == manifest.StdinName {
		return sarifArtifact{URI: "stdin"}
	}
	if strings.HasPrefix(p.File, "/") {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: p.File}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: p.File}).String(), URIBaseID: "%SRCROOT%"}
}

// fingerprint recognises a finding when lines above it come and go.
func fingerprint(f Finding) string {
	h := sha256.New()
	for _, part := range []string{f.Rule, f.File, f.Object, f.Pointer, f.SchemaPointer} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
