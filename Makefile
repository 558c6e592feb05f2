# make run    the referee on the simulated board; more by ARGS, e.g. make run ARGS="--game oware"
# make test   everything the tests need, then every check and test
# make lint   the checks alone
# make firmware  the firmware of the weighing board, in build/firmware; `pitwatch flash` puts it on the board
# make firmware-rp2040  the same for an RP2040, CELLS=14 for so many cells; build/firmware/rp2040.uf2 is copied to it
# make fuzz   libFuzzer on the whole of the firmware's core, until it is stopped
# make bench  the measured figures of the README
# PYTHON names another Python 3.11 to 3.14; VENV_FLAGS="--system-site-packages" lets .venv see Debian's lgpio.

export PYTHON VENV_FLAGS
BENCHMARKS := $(filter-out __init__,$(basename $(notdir $(wildcard benchmarks/*.py))))

.PHONY: run test lint firmware firmware-rp2040 fuzz bench

run: .venv/.run
	@exec .venv/bin/pitwatch run $(ARGS)

test: .venv/.test
	scripts/apt.sh chromium gcc g++ gcc-avr avr-libc libsimavr-dev libelf-dev gcc-arm-none-eabi
	$(MAKE) --no-print-directory lint
	.venv/bin/pytest -n auto --dist worksteal

lint: .venv/.test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

firmware:
	scripts/apt.sh gcc-avr avr-libc
	$(MAKE) --no-print-directory -C hardware/firmware

firmware-rp2040:
	scripts/apt.sh gcc-arm-none-eabi
	$(MAKE) --no-print-directory -C hardware/firmware rp2040

fuzz:
	scripts/apt.sh clang libclang-rt-dev
	mkdir -p build/fuzz
	clang++ -std=c++11 -O2 -g -DFUZZ -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all -o build/fuzz/core tests/emulator/fuzz.cpp
	build/fuzz/core -max_len=2048 -len_control=0

bench: .venv/.test
	scripts/apt.sh gcc g++ gcc-avr avr-libc libsimavr-dev libelf-dev
	set -e; for name in $(BENCHMARKS); do echo "== $$name"; .venv/bin/python -m benchmarks.$$name; done

.venv/.run: pyproject.toml
	@scripts/venv.sh run

.venv/.test: pyproject.toml
	@scripts/venv.sh test
