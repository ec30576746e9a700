# Everything a newcomer, an operator or continuous integration runs. `make help` lists it.
NODE := PATH="$(CURDIR)/node_modules/.bin:$$PATH" node
MAKEFLAGS += --no-print-directory

.PHONY: help install up down demo demo-once test test-api bench lint format clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 12

install: ## fetch packages and engines; quick when nothing is missing
	@command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { \
	  echo 'Node and npm are missing: install Node 20 or newer (on Debian: apt-get install nodejs npm), then try again.' >&2; exit 1; }
	@node infra/local/install-packages.mjs
	@$(NODE) infra/local/install.ts

up: install ## start engines and services, return when they are ready
	@bin/touchline up

down: ## stop what "make up" started
	@bin/touchline down

demo: install ## run a simulated business, print its report, stay up until Ctrl-C
	@bin/touchline demo

demo-once: install ## the same, but exit after the report
	@bin/touchline demo --once

test: install lint ## check everything against engines of its own; TESTS="path ..." picks some
	@$(NODE) infra/local/run-tests.ts $(TESTS)

test-api: install ## call a real stack with data made from the API's description; EXAMPLES=15 an operation
	@$(NODE) infra/local/test-api.ts

bench: install ## print the benchmark table
	@$(NODE) bench/main.ts

lint: install ## format, lint, types and import rules
	@npm run --silent lint
	@npm run --silent types
	@npm run --silent imports

format: install ## rewrite the sources in the project's format
	@npm run --silent format

clean: ## stop the stack, remove data, fetched engines and packages
	@if [ -d node_modules ]; then bin/touchline down; fi
	@rm -rf .touchline .touchline-test-* .touchline-cache coverage node_modules
