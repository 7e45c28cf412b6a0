# Everything that this project builds, tests and checks. `make help` lists the targets.
#
# Nothing has to be installed but Go, a C compiler (for the race detector), make, git
# and curl: the tools are built from modules whose every source is pinned by checksum,
# into bin/; kube-apiserver, etcd and kubectl likewise, into a cache outside the tree.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

export GOTOOLCHAIN := local

BIN := $(CURDIR)/bin

CONTROLLER_GEN := $(BIN)/controller-gen
KUSTOMIZE      := $(BIN)/kustomize
CRD_REF_DOCS   := $(BIN)/crd-ref-docs
GOLANGCI_LINT  := $(BIN)/golangci-lint

# Shell text, run when a recipe needs it: prints where the control plane's programs
# are, building them first if they are nowhere.
ENVTEST := hack/envtest/build.sh

# The slowest package needs a control plane of its own and the race detector.
TEST_TIMEOUT      ?= 20m
TEST_SLOW_TIMEOUT ?= 30m
TESTFLAGS         ?=
FUZZTIME          ?= 30s
BENCH             ?= .
BENCHTIME         ?= 1s
BENCH_DOC         ?= docs/benchmarks/engine.md
BENCHFLAGS        ?=

##@ General

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Build

.PHONY: build
build: ## Build bin/callgate
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o $(BIN)/callgate ./cmd/callgate

.PHONY: run
run: build ## Run the manager against the cluster of the current kubeconfig (ARGS='...')
	$(BIN)/callgate manager $(ARGS)

.PHONY: demo
demo: envtest build ## Show it all at work against a control plane of its own
	export KUBEBUILDER_ASSETS="$$($(ENVTEST))"; bash hack/demo.sh

.PHONY: envtest
envtest: ## Provide kube-apiserver, etcd and kubectl for tests and the demo
	@$(ENVTEST)

.PHONY: clean
clean: ## Remove what was built in the work tree (not the cache outside it)
	rm -rf $(BIN)

##@ Test

.PHONY: test
test: envtest ## Run all tests with the race detector (TESTFLAGS='-run X -v')
	export KUBEBUILDER_ASSETS="$$($(ENVTEST))"; \
	go test -race -timeout $(TEST_TIMEOUT) $(TESTFLAGS) ./...

.PHONY: test-slow
test-slow: envtest ## Run the tests that take minutes: those with the build tag slow
	export KUBEBUILDER_ASSETS="$$($(ENVTEST))"; \
	hack/test-slow.sh -race -timeout $(TEST_SLOW_TIMEOUT) $(TESTFLAGS)

.PHONY: fuzz
fuzz: ## Run every fuzz target, one after another, for FUZZTIME each
	hack/fuzz.sh $(FUZZTIME)

# Without npm, or without the package, the document says that Node was not measured.
.PHONY: bench
bench: ## Judge calls beside the peers and write docs/benchmarks/engine.md (BENCHFLAGS='-rounds 3')
	npm --prefix test/bench/node ci --no-audit --no-fund --ignore-scripts || echo 'bench: no Ajv; going on without Node' >&2
	mkdir -p $(dir $(BENCH_DOC))
	GOWORK=off go -C test/bench run . -command 'make bench$(if $(BENCHFLAGS), BENCHFLAGS="$(BENCHFLAGS)")' -node node -out $(abspath $(BENCH_DOC)) $(BENCHFLAGS)

.PHONY: bench-check
bench-check: ## Check that bench works, in seconds and without Node
	GOWORK=off go -C test/bench vet ./...
	GOWORK=off go -C test/bench test ./...

.PHONY: bench-go
bench-go: ## Run the Go benchmarks of internal/ (BENCH=regexp, BENCHTIME=1s)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) ./internal/...

##@ Check

.PHONY: verify
verify: tools ## Regenerate everything in a copy of the tree and fail on a difference
	hack/verify.sh

.PHONY: lint
lint: lint-api $(GOLANGCI_LINT) ## Lint all Go code; the import arrows are lint rules too
	$(GOLANGCI_LINT) run --allow-parallel-runners ./...

.PHONY: lint-api
lint-api: $(GOLANGCI_LINT) ## Lint the API types with kube-api-linter
	$(GOLANGCI_LINT) run --allow-parallel-runners --config .golangci-kal.yml ./api/...

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go code and sort its imports
	$(GOLANGCI_LINT) fmt ./...

.PHONY: vet
vet: ## Run go vet, on the slow tests too
	go vet ./...
	go vet -tags slow ./...

##@ Generate

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Generate Go code from the API types
	$(CONTROLLER_GEN) object:headerFile=hack/boilerplate.go.txt paths=./api/...
	$(CONTROLLER_GEN) applyconfiguration:headerFile=hack/boilerplate.go.txt paths=./api/v1alpha1/...

# The CRDs keep the whole godoc: it is what kubectl explain shows.
.PHONY: manifests
manifests: $(CONTROLLER_GEN) $(CRD_REF_DOCS) ## Generate CRDs, RBAC, webhook configuration and the API reference
	$(CONTROLLER_GEN) crd:maxDescLen=100000 paths=./api/v1alpha1/... output:crd:artifacts:config=config/crd/bases
	$(CONTROLLER_GEN) rbac:roleName=callgate-manager paths=./controllers/... paths=./webhooks/... output:rbac:artifacts:config=config/rbac
	$(CONTROLLER_GEN) webhook paths=./webhooks/... output:webhook:artifacts:config=config/webhook
	$(CRD_REF_DOCS) --source-path=api/v1alpha1 --config=hack/api-reference.yaml --renderer=markdown --output-path=api/v1alpha1/api.md --log-level=ERROR

##@ Tools

.PHONY: tools
tools: $(CONTROLLER_GEN) $(KUSTOMIZE) $(CRD_REF_DOCS) ## Build the generators into bin/

# $(call tool,module directory,package): a rebuild follows a change of the module.
define tool
	@mkdir -p $(BIN)
	@echo "building $(@F) from $(1)/go.mod"
	@GOFLAGS=-mod=readonly GOWORK=off go -C $(1) build -trimpath -o $@ $(2)
endef

$(CONTROLLER_GEN): hack/tools/go.mod hack/tools/go.sum
	$(call tool,hack/tools,sigs.k8s.io/controller-tools/cmd/controller-gen)

$(KUSTOMIZE): hack/tools/go.mod hack/tools/go.sum
	$(call tool,hack/tools,sigs.k8s.io/kustomize/kustomize/v5)

$(CRD_REF_DOCS): hack/tools/go.mod hack/tools/go.sum
	$(call tool,hack/tools,github.com/elastic/crd-ref-docs)

# golangci-lint with kube-api-linter inside, so one binary does both lints. It is a
# module of its own because its several hundred requirements would move the generators'.
$(GOLANGCI_LINT): hack/lint/go.mod hack/lint/go.sum
	$(call tool,hack/lint,sigs.k8s.io/kube-api-linter/cmd/golangci-lint-kube-api-linter)
