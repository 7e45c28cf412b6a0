package manifest

// Bounds on what is read. A policy set comes from a repository or a pull request,
// so that whoever runs a check on it need not trust its author.
const (
	// MaxFileBytes bounds one file, and one YAML document with its aliases written
	// out. It holds 4,000 ToolSchemas of 4 KiB in one "kubectl get -o yaml"; a
	// parsed document takes many times its size for a moment.
	MaxFileBytes = 16 << 20
	// MaxTotalBytes bounds all files together: ten thousand ToolSchemas, the size
	// that one cluster is measured with, of 25 KiB each.
	MaxTotalBytes = 256 << 20
	// MaxFiles is one file for each object of such a set, twice over.
	MaxFiles = 20_000
	// MaxDocuments bounds the documents of one file.
	MaxDocuments = 10_000
	// MaxObjectBytes is the API server's own bound on a request body.
	MaxObjectBytes = 3 << 20

	// maxDepth bounds nesting. Schemas may have 64 levels, and the object about
	// them adds four; what is deeper than this is no manifest.
	maxDepth = 512
	// maxProblems bounds what is reported of one document, so that a garbled one
	// cannot fill a screen or the memory.
	maxProblems = 100
	// maxMessage bounds one message: API server messages quote the value.
	maxMessage = 1024
	// maxMergedKeys bounds the keys that YAML merges copy in one document. Merges
	// of merges would grow with the square of the document.
	maxMergedKeys = 100_000
)
