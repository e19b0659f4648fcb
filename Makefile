# Go, git and make are all that `make run` needs; `make test` also needs bash and
# finds or installs the rest. ARGS is passed on where a target says so: packages
# in it (./internal/sales/...) are tested instead of all.
export CGO_ENABLED = 0
# Gin without MessagePack, which nothing here speaks: a tenth less to compile. A
# -tags on the command line replaces these, so it must name them too. All is
# compiled as what is shipped is, or a new machine would compile everything twice.
export GOFLAGS := $(shell go env GOFLAGS) -tags=nomsgpack -trimpath
.DEFAULT_GOAL := help

services := scripts/with-services
# The longest tests begin first, so that the others run beside them.
packages = $(if $(filter ./% airtill/%,$(ARGS)),,./web ./...)
tools := bin/golangci-lint bin/gofumpt bin/govulncheck bin/benchstat

.PHONY: help run build dev test test-fast full-size race lint verify generate fmt sbom vuln e2e trips security screenshots chaos chaos-laws mutants month bench bench-ci profile benchmarks bench-compare bench-baseline seed clean docker

help: ## this list
	@awk -F ':.*## ' '/^##@/ { print "\n" substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Use

run: ## build and start the till with a simulator beside it: no configuration, no services
	go build -o bin/web ./cmd/web
	bin/web demo $(ARGS)

build: ## build bin/web and bin/sandbox, static binaries
	go build -trimpath -o bin/ ./cmd/web ./cmd/sandbox

docker: ## build the container image airtill
	docker build -t airtill .

##@ Develop

dev: ## live reload: pages follow every saved file (through http://127.0.0.1:7331)
	go tool templ generate --watch --proxy=http://127.0.0.1:8080 --open-browser=false \
		--cmd="go run ./cmd/web demo --addr 127.0.0.1:8080"

generate: ## write the generated files anew: templ views, the state chart of ARCHITECTURE.md, licences
	go tool templ generate
	UPDATE=1 go test -count=1 -run '^TestChartIsFresh$$' ./internal/sales
	scripts/licences >cmd/web/licences.txt

fmt: bin/gofumpt ## format Go and templ files
	bin/gofumpt -w $$(git ls-files '*.go' ':!*_templ.go')
	go tool templ fmt .

##@ Prove

test: ## every test on SQLite, PostgreSQL and Redis (ARGS: flags of go test)
	$(services) scripts/test $(ARGS) $(packages)

test-fast: ## the short tests on SQLite alone
	env -u TEST_DATABASE_URL -u TEST_REDIS_URL go test -short $(ARGS) $(packages)

full-size: ## the tests that make test runs on less, at full size: a file of 200,000 sales, a busy hour
	FULL_SIZE=yes $(services) go test -count=1 -v -timeout 20m -run '^TestALongFileTakesNoMoreMemoryThanAShortOne$$' ./web
	FULL_SIZE=yes $(services) go test -count=1 -v -timeout 20m -run '^TestAThousandTransfersAndSixtyUnknown$$' ./internal/followup

race: ## every test under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(services) go test -race -count=1 $(ARGS) $(packages)

lint: bin/golangci-lint ## golangci-lint: the import map, the bans and the usual suspects
	bin/golangci-lint run $(ARGS)

verify: bin/gofumpt ## nothing stale, untidy, altered or secret is committed
	scripts/verify

sbom: ## what bin/web is made of, for machines (CycloneDX), to bin/web.cdx.json
	@mkdir -p bin
	go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 app -json -licenses -main cmd/web \
		-output bin/web.cdx.json

vuln: bin/govulncheck ## known vulnerabilities in what is really called (asks vuln.go.dev)
	bin/govulncheck ./...

e2e: ## sell in headless Chromium, on SQLite and on PostgreSQL with Redis
	SCREENSHOTS=$(CURDIR)/screenshots $(services) go test -count=1 -v -tags e2e,nomsgpack -timeout 40m $(ARGS) ./internal/harness/e2e

trips: bin/govulncheck ## a known bad module is noticed, and nothing calls out past the rules, each in its full time
	scripts/vuln-trips
	FULL_SIZE=yes go test -count=1 ./internal/dial

security: trips ## what attacks the till: every route for everybody, hostile texts and addresses, floods, a bad module
	$(services) go test -count=1 -run 'EveryRoute|FormFromElsewhere|OnTheList|Hostile|Bombs|Reckons|Formula|Markup|SecurityTable|NoOperatorMeans' \
		./web ./cmd/web ./internal/logo ./internal/apiclient ./internal/sheet ./docs
	$(services) go test -count=1 -v -tags e2e,security,nomsgpack -timeout 30m $(ARGS) \
		-run '^TestNothingThatOthersWrite|^TestSellingGoesOnUnder' ./internal/harness/e2e

screenshots: ## take the pictures of docs/screens anew
	GALLERY=yes SCREENSHOTS=$(CURDIR)/docs/screens go test -count=1 -tags e2e,nomsgpack -run '^TestGallery' -timeout 20m ./internal/harness/e2e

chaos: ## everything goes wrong, then heals: is every sale known? (ARGS: flags of cmd/chaos)
	go run ./cmd/chaos $(ARGS)

chaos-laws: ## break each law of a sale on purpose: does make chaos find it?
	go test -count=1 -v -tags chaos,nomsgpack -timeout 30m $(ARGS) -run '^TestEachBrokenLawIsFound$$' ./internal/harness/chaos

mutants: ## break each rule of docs/interface.md on purpose: does its test find it? (MUTANTS: how many, or an expression)
	MUTANTS='$(or $(MUTANTS),.)' go test -count=1 -v -timeout 60m $(ARGS) -run '^TestMutants' ./docs

month: ## a month of ten shops with every kind of drift: do the books find it all? (ARGS: flags of cmd/month)
	go run ./cmd/month $(ARGS)

bench: ## what a sale costs, beside limits of the same minutes, to bench/latest.json (SHORT=1: within 5 minutes; ARGS: flags of cmd/bench)
	go run ./cmd/bench $(ARGS)

bench-ci: ## within a minute: does a sale ask no more than bench/bounds.json allows?
	go run ./cmd/bench -bounds bench/bounds.json $(ARGS)

profile: ## where the time of each page goes while it is asked for, and what a sale asks of PostgreSQL
	go run ./cmd/bench -short -profile profiles $(ARGS)

# What make bench-compare looks at: short, and what every page and sale is made of.
BENCHMARKS = go test -run '^$$' -benchmem -count $(or $(COUNT),6) -benchtime 0.3s -bench 'Offers600|LookupAndOffers|Overhead' \
	./web/templates ./internal/catalog ./internal/apiclient

benchmarks: ## every benchmark (ARGS: flags of go test)
	$(services) go test -run '^$$' -bench . -benchmem $(ARGS) $(packages)

bench-compare: bin/benchstat ## some benchmarks beside those of bench/baseline.txt
	@mkdir -p tmp
	$(BENCHMARKS) >tmp/benchmarks.txt
	bin/benchstat bench/baseline.txt tmp/benchmarks.txt

bench-baseline: ## make what bench-compare compares with anew, on a quiet machine
	$(BENCHMARKS) >bench/baseline.txt

seed: build ## a development database in data/ with a shop and its users
	scripts/seed

clean: ## remove what the other targets made
	rm -rf bin screenshots profiles tmp

$(tools): tools/go.mod tools/go.sum
	go build -C tools -o ../bin/ $$(go -C tools list -f '{{.ImportPath}}' tool | grep '/$(@F)$$')
	@touch $@
