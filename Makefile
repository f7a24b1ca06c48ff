# SPDX-License-Identifier: GPL-2.0-only
#
# make            build pstat and libpstat-self.a
# make deps       install the Debian packages that the build needs
# make demo       deps, build, then count a running BPF program
# make check      deps, build, all tests; check-unit, check-native, check-vm: one suite;
#                 check-long: the full matrices; check-busy: native and vm on busy CPUs;
#                 check-distros: unit and native in a root of Debian 13
# make static     build pstat-static-x86_64 and pstat-static-aarch64, which contain all libraries and
#                 run on any distribution; STATIC_ARCHS=x86_64: only the first
# make bench      measure the cost of counting, in instructions and in time;
#                 BENCH='switch start -k bpf-counters --json FILE'
# make fuzz       run each fuzzer for FUZZ_SECONDS=60 (5 in make check)
# make check-hardware   compare pstat with perf on the counters of this machine, write a report;
#                 PERF=/path/to/perf REPORT=hardware-report.txt
# make lint       check formatting, static analysis, headers, levels, names, and paths in comments
# make install    prefix=/usr/local DESTDIR=
# make install-events   pack and install the CPU vendors' events and metrics from EVENTS_SOURCE, a
#                 kernel tree or tarball; default: the newest linux-source-* in /usr/src, which
#                 `make deps-events` installs
# make deb        make a Debian package of pstat in DEBDIR=DIR and, if EVENTS_SOURCE exists, the
#                 package pstat-events
#
# O=DIR          build there and leave the source tree clean
# V=1            show the commands
# DEVELOPER=1    warnings are errors
# SANITIZE=address,undefined
# TARGET=aarch64 SYSROOT=DIR   cross-build with clang and lld;  STATIC=1: static executables

VERSION := 0.1

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
pkgconfigdir ?= $(libdir)/pkgconfig
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
eventsdir ?= $(prefix)/share/pstat/events
bashcompdir ?= $(prefix)/share/bash-completion/completions
PYTHON3 ?= /usr/bin/python3

override O := $(if $(O),$(patsubst %/,%,$(O))/)
B := $(O).build/
Q := $(if $(filter 1,$(V)),,@)
comma := ,
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)';)

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

.PHONY: all
all: $(O)pstat $(O)libpstat-self.a

# ---- what the build needs -------------------------------------------------------------------------------------------
PKGS := libbpf libelf zlib libdw libtraceevent jansson
# the libraries that libpstat-self.a needs
SELF_PKGS := libbpf libelf zlib $(if $(STATIC),libtraceevent jansson)
TEST_PKGS := cmocka

CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
# binutils cannot write BPF objects
BPF_OBJCOPY ?= llvm-objcopy
PKG_CONFIG ?= pkg-config
ifneq ($(TARGET),)
ifeq ($(SYSROOT),)
$(error TARGET=$(TARGET) needs SYSROOT=DIR with the target's headers and libraries)
endif
triplet := $(TARGET)-linux-gnu
CC := $(CLANG) --target=$(triplet) --sysroot=$(SYSROOT) --gcc-toolchain=$(SYSROOT)/usr -Wno-unused-command-line-argument
AR := llvm-ar
OBJCOPY := llvm-objcopy
LINK_FLAGS += -fuse-ld=lld
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/$(triplet)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig
endif
AR := $(if $(shell command -v $(AR)),$(AR),ar)
OBJCOPY ?= objcopy

# goals that work without the packages of `make deps`
EASY_GOALS := deps demo check check-unit check-native check-vm check-long check-busy check-distros check-fuzz sanitized-tests sanitized-pstat bench fuzz clean lint
EASY_GOALS += deps-events events install-events static
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(EASY_GOALS),$(MAKECMDGOALS)),all),)
need_pkg = $(if $(shell $(PKG_CONFIG) --exists $(1) && echo y),,$(error $(1) is missing: install Debian's package $(2), or run `make deps`))
need_tool = $(if $(shell command -v $(1)),,$(error $(1) is missing: install Debian's package $(2), or run `make deps`))
$(call need_tool,$(PKG_CONFIG),pkg-config)
$(call need_tool,$(CLANG),clang)
$(call need_tool,$(BPFTOOL),bpftool)
$(call need_tool,$(BPF_OBJCOPY),llvm)
$(call need_tool,$(firstword $(CC)),gcc)
$(call need_pkg,libbpf,libbpf-dev)
$(call need_pkg,libelf,libelf-dev)
$(call need_pkg,zlib,zlib1g-dev)
$(call need_pkg,libdw,libdw-dev)
$(call need_pkg,libtraceevent,libtraceevent-dev)
$(call need_pkg,jansson,libjansson-dev)
need_header = $(if $(shell echo '\#include <$(1)>' | $(CC) -E -o /dev/null - 2>/dev/null && echo y),,$(error $(1) is missing: install Debian's package $(2), or run `make deps`))
$(call need_pkg,libmicrohttpd,libmicrohttpd-dev)
$(call need_header,libiberty/demangle.h,libiberty-dev)

$(if $(filter man install deb,$(MAKECMDGOALS)),$(call need_tool,asciidoctor,asciidoctor))
$(if $(filter unit-tests,$(MAKECMDGOALS)),$(call need_pkg,cmocka,libcmocka-dev))

LIB_VERSIONS := -DPSTAT_VERSION='"$(VERSION)"' \
	-DLIBELF_VERSION='"$(shell $(PKG_CONFIG) --modversion libelf)"' \
	-DLIBDW_VERSION='"$(shell $(PKG_CONFIG) --modversion libdw)"' \
	-DLIBTRACEEVENT_VERSION='"$(shell $(PKG_CONFIG) --modversion libtraceevent)"' \
	-DLIBMICROHTTPD_VERSION='"$(shell $(PKG_CONFIG) --modversion libmicrohttpd)"'
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS))
PKG_LIBS := $(shell $(PKG_CONFIG) $(if $(STATIC),--static) --libs $(PKGS))
endif

# ---- flags ----------------------------------------------------------------------------------------------------------
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(DEVELOPER),-Werror)
SAN_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# sqrt() becomes an instruction, so that libm is not needed
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -fno-math-errno $(if $(STATIC),-DLINKED_STATICALLY) -I. -I$(B) $(PKG_CFLAGS) $(WARNINGS) $(SAN_FLAGS) \
	$(CFLAGS)
ALL_LDFLAGS := $(LINK_FLAGS) $(SAN_FLAGS) $(if $(STATIC),-static) -Wl,--as-needed $(LDFLAGS)
# libiberty has no .pc file; libmicrohttpd is loaded at run time, except in a static pstat
LIBS := -Wl,--start-group $(PKG_LIBS) $(if $(STATIC),-lmicrohttpd) -Wl,--end-group -liberty -lm

bpf_arch := $(if $(TARGET),$(if $(filter aarch64,$(TARGET)),arm64,x86),$(if $(filter aarch64,$(shell uname -m)),arm64,x86))
# Linux 6.1 accepts a loop only if a jump leads back to its beginning. This is the case if clang keeps
# the blocks in the order of the source.
BPF_CFLAGS := -g -O2 -mllvm -disable-block-placement -target bpf -mcpu=v3 -D__TARGET_ARCH_$(bpf_arch) -I. -Ibpf_skel \
	-Wall -Wextra -Wno-unused-parameter $(if $(DEVELOPER),-Werror)

# ---- objects --------------------------------------------------------------------------------------------------------
LIB_SRCS := $(sort $(wildcard util/*/*.c util/*/*/*.c))
BIN_SRCS := pstat.c $(sort $(wildcard builtin/*.c builtin/*/*.c))
SELF_SRCS := $(sort $(wildcard self/*.c))
SKELS := $(patsubst %.bpf.c,$(B)%.skel.h,$(sort $(wildcard bpf_skel/*.bpf.c)))
LIB_OBJS := $(LIB_SRCS:%.c=$(B)%.o)
BIN_OBJS := $(BIN_SRCS:%.c=$(B)%.o)
SELF_OBJS := $(SELF_SRCS:%.c=$(B)%.o)
# The code of a plain count is linked first, so that it is not spread over the whole executable. The
# kernel maps files in pieces of 64 KiB, so `pstat -e cs true` needs 2.4 instead of 3.0 MiB, and 3.5 %
# fewer instructions. pstat itself lists the functions that are called:
#	pstat stat -x, --hide-zero --per-scope --scope 'uprobe:./pstat:*' -e run_cnt ./pstat stat -e cs true
FIRST_OBJS := $(patsubst %.c,$(B)%.o,$(filter %.c,$(file <scripts/link-first)))

# rebuild everything if a flag has changed
$(B)flags: FORCE
	$(Q)mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIB_VERSIONS) $(BPF_CFLAGS) $(BPF_OBJCOPY))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIB_VERSIONS) $(BPF_CFLAGS) $(BPF_OBJCOPY))' > $@
.PHONY: FORCE
FORCE:

# clang keeps a symbol for each label of the code, and libbpf searches all symbols again and again.
# Without them and the DWARF information (libbpf uses only BTF), opening an object of 11 programs takes
# 30 % fewer instructions, and `pstat -b ID -e cs true` takes 7 % fewer.
$(B)%.bpf.o: %.bpf.c $(B)flags
	$(call say,BPF,$<)mkdir -p $(@D); $(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $< && \
		$(BPF_OBJCOPY) --strip-debug --wildcard --strip-symbol='LBB*' $@

# If memory runs out for a skeleton's array of maps or programs, bpftool's code destroys the skeleton,
# and bpf_object__detach_skeleton() of libbpf 1.5 then reads the array, because its length is already
# set. So the length becomes 0 in this case.
$(B)%.skel.h: $(B)%.bpf.o
	$(call say,SKEL,$(@:$(B)%=%))$(BPFTOOL) gen skeleton $< name $(subst -,_,$(notdir $*))_bpf > $@ && \
		sed -i 's/if (!s->\(map\|prog\)s) {$$/& s->\1_cnt = 0;/' $@

# the names of the system calls, from the kernel headers of the machine for which the compiler
# compiles
SYSCALL_NAMES := $(B)util/machine/scope/syscall-names.inc
$(SYSCALL_NAMES): $(B)flags
	$(call say,GEN,$(@:$(B)%=%))mkdir -p $(@D); echo '#include <asm/unistd.h>' | $(CC) $(ALL_CFLAGS) -E -dM - | sed -n \
		'/__NR_\(syscalls\|arch_specific_syscall\) /d; s/^#define __NR_\([a-z0-9_]*\) .*/[__NR_\1] = "\1",/p' | sort > $@
$(B)util/machine/scope/scope-syscall.o: $(SYSCALL_NAMES)

$(B)%.o: %.c $(B)flags | $(SKELS)
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

$(B)builtin/version.o: EXTRA_CFLAGS = $(LIB_VERSIONS)

$(B)libpstat.a: $(LIB_OBJS)
	$(call say,AR,$(@:$(B)%=%))rm -f $@; $(AR) rcs $@ $^

ifneq ($(STATIC),)
$(O)pstat: private ALL_LDFLAGS += -Wl,--wrap=dlopen # see util/base/late-libraries.c
# Debian's libgnutls cannot be linked statically. pstat never asks libmicrohttpd for TLS, so calls
# to libgnutls become calls to abort(). The exceptions are the functions that
# util/output/libmicrohttpd.c defines.
NM := $(if $(TARGET),llvm-nm,nm)
$(O)pstat: private ALL_LDFLAGS += $(patsubst %,-Wl$(comma)--defsym=%=abort,$(filter-out gnutls_global_%,$(sort $(shell \
	$(NM) -u $$($(CC) -print-file-name=libmicrohttpd.a) 2>/dev/null | grep -o 'gnutls_[a-z0-9_]*'))))
endif
# The dynamic linker reads all relocations when pstat starts. Packed, they take 1 kB instead of 86 kB,
# and pstat needs 130 kB less memory. Packing needs binutils 2.38 and glibc 2.36, so try it.
pack := -Wl,-z,pack-relative-relocs
pack_relocs = $(if $(STATIC)$(TARGET),,$(shell f=$$(mktemp); echo 'int main(void) { return 0; }' | \
	$(CC) $(ALL_LDFLAGS) $(pack) -x c -o $$f - 2>&1 | grep -q . || { $$f && echo '$(pack)'; }; rm -f $$f))
$(O)pstat: $(FIRST_OBJS) $(filter-out $(FIRST_OBJS),$(BIN_OBJS)) $(B)libpstat.a
	$(call say,LINK,pstat)$(CC) $(ALL_LDFLAGS) $(pack_relocs) -o $@ $^ $(LIBS)

# Executables that contain all libraries. tests/vm/build also builds pstat for the guests.
STATIC_ARCHS ?= x86_64 aarch64
.PHONY: static
static: deps $(STATIC_ARCHS:%=$(O)pstat-static-%)
$(O)pstat-static-%: deps FORCE
	$(call say,STATIC,pstat-static-$*)folder=$$(PSTAT_BUILD=$(abspath $(B)) tests/vm/build $* all) && \
		$(if $(filter $*,$(shell uname -m)),strip,llvm-strip) -o $@ "$$folder/pstat"

# All objects of the library are linked into one, which exports only the names in its header.
$(B)libpstat-self.o: $(SELF_OBJS) $(B)libpstat.a
	$(call say,LINK,$(@:$(B)%=%))$(CC) $(LINK_FLAGS) -r -nostdlib -o $@ $^ && $(OBJCOPY) -w --keep-global-symbol='pstat_self_*' $@

$(O)libpstat-self.a: $(B)libpstat-self.o
	$(call say,AR,libpstat-self.a)rm -f $@; $(AR) rcs $@ $^

# The .pc file contains directories, relative to prefix, and the required libraries.
from_prefix = $(patsubst $(prefix)/%,$${prefix}/%,$(1))
.PHONY: $(B)pstat-self.pc
$(B)pstat-self.pc:
	$(Q)mkdir -p $(@D); printf '%s\n' 'prefix=$(prefix)' \
		'libdir=$(call from_prefix,$(libdir))' 'includedir=$(call from_prefix,$(includedir))' \
		'' 'Name: pstat-self' \
		'Description: counts of perf events for programs that count themselves' 'Version: $(VERSION)' \
		'Requires: $(SELF_PKGS)' 'Libs: -L$${libdir} -lpstat-self -pthread' 'Cflags: -I$${includedir}' > $@

# ---- test programs --------------------------------------------------------------------------------------------------
# no guest runs the fleet, so libmicrohttpd is not linked statically into it
WORKLOADS := $(patsubst %.c,$(B)%,$(filter-out %.bpf.c $(if $(STATIC),%/fleet-exporter.c),$(sort $(wildcard tests/workloads/*.c))))
WORKLOAD_SKELS := $(patsubst %.bpf.c,$(B)%.skel.h,$(sort $(wildcard tests/workloads/*.bpf.c)))
UNIT_TESTS := $(patsubst %.c,$(B)%,$(sort $(wildcard tests/unit/test_*.c)))
EXAMPLES := $(patsubst %.c,$(B)%,$(sort $(wildcard examples/*.c)))
# linked like a unit test; used by tests in Python
UNIT_HELPERS := $(B)tests/unit/metric-values $(B)tests/unit/vendor-events

.PHONY: workloads unit-tests unit-helpers fault-shim many-cpus imitated-shim
workloads: $(WORKLOADS) $(EXAMPLES)
unit-tests: $(UNIT_TESTS)
unit-helpers: $(UNIT_HELPERS)
# preloaded into pstat; makes a call fail
fault-shim: $(B)tests/native/fault-shim.so
# preloaded into pstat; imitates CPUs that the machine does not have
many-cpus: $(B)tests/bench/many-cpus.so
# preloaded into pstat or perf; imitates the machines of tests/imitated/machines
imitated-shim: $(B)tests/imitated/shim.so

$(B)tests/workloads/%: tests/workloads/%.c $(B)flags | $(WORKLOAD_SKELS)
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(LIBS)

# backtrace(3) loads libgcc_s when it is called, so libgcc_s must exist wherever the shim is used
fault-shim: SHIM_LIBS := -Wl,--no-as-needed -lgcc_s
IMITATED := $(patsubst %,$(B)tests/imitated/%.pic,clock counts groups hotplug kernel machine)
$(B)tests/imitated/shim.so: $(IMITATED:=.o)
$(B)tests/%.pic.o: tests/%.c $(B)flags
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -fPIC -MMD -MP -c -o $@ $<

$(B)tests/%.so: tests/%.c $(B)flags
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -fPIC -shared -fno-builtin -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< \
		$(filter %.o,$^) $(SHIM_LIBS)

# makes one field of an event invalid after the other, and asks the library what is wrong
$(B)tests/workloads/why-table: tests/workloads/why-table.c tests/unit/why-refusals.h $(B)libpstat.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(B)libpstat.a $(LIBS)

# the report, the formats and the server of pstat export, with made-up counts
$(B)tests/workloads/fleet-exporter: tests/workloads/fleet-exporter.c $(B)libpstat.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(B)libpstat.a $(LIBS)

# programs that count themselves are built like users' programs
$(B)tests/workloads/self-%: tests/workloads/self-%.c $(O)libpstat-self.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -Iinclude -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)libpstat-self.a $(LIBS) -pthread

$(B)examples/%: examples/%.c $(O)libpstat-self.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -Iinclude -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(O)libpstat-self.a $(LIBS) -pthread

ifneq ($(STATIC),)
# these programs contain functions of libtraceevent and libdwfl that load other libraries, but never
# call them
$(filter $(B)tests/workloads/self-% %/why-table,$(WORKLOADS)) $(EXAMPLES): private ALL_LDFLAGS += \
	-Wl,--wrap=dlopen -Wl,--defsym=__wrap_dlopen=abort
endif
$(B)tests/workloads/access-fixed: private ALL_LDFLAGS += -no-pie
# stacks can be walked, and the file has a build ID
$(B)tests/workloads/call-tree: private ALL_CFLAGS += -fno-omit-frame-pointer -fno-optimize-sibling-calls
$(B)tests/workloads/call-tree: private ALL_LDFLAGS += -Wl,--build-id

$(B)tests/unit/test_file_room: $(B)self/file-room.o
$(B)tests/unit/test_option_rows: $(B)libpstat-builtin.a
$(B)tests/unit/%: tests/unit/%.c $(B)libpstat.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) \
		$(filter %-builtin.a,$^) $(B)libpstat.a \
		$(shell $(PKG_CONFIG) --libs $(TEST_PKGS)) $(LIBS)

# ---- fuzzers, and unit tests with sanitizers: both link objects that clang builds separately --------------------------
FUZZERS := $(patsubst %.c,$(B)%,$(sort $(wildcard tests/fuzz/*.c)))
# optimizing would take longer than it saves
SANITIZED := O=$(B)sanitize/ CC=$(CLANG) CFLAGS='-O1 -gline-tables-only' SANITIZE=fuzzer-no-link,address,undefined

.PHONY: fuzzers
fuzzers: $(FUZZERS)

# the fuzzers of the command line imitate a machine with files, and survive errors of argp
$(B)tests/fuzz/fuzz_options $(B)tests/fuzz/fuzz_pairing: private ALL_LDFLAGS += -Wl,--wrap=sysroots__host,--wrap=argp_parse

$(B)libpstat-builtin.a: $(filter-out $(B)pstat.o,$(BIN_OBJS))
	$(call say,AR,$(@:$(B)%=%))rm -f $@; $(AR) rcs $@ $^

$(B)tests/fuzz/%: tests/fuzz/%.c $(B)libpstat-builtin.a $(B)libpstat.a
	$(call say,CC,$<)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< \
		$(B)libpstat-builtin.a $(B)libpstat.a $(LIBS)

# ---- the rest -------------------------------------------------------------------------------------------------------
.PHONY: deps demo check check-unit check-native check-vm check-long check-busy check-distros check-fuzz check-hardware sanitized-tests sanitized-pstat bench fuzz lint man install deb clean
deps:
	$(Q)scripts/deps

demo: deps
	$(Q)$(MAKE) --no-print-directory all workloads
	$(Q)scripts/demo $(O)./pstat $(B)tests/workloads

export O
check: deps
	$(Q)$(PYTHON3) tests/check unit sanitize fuzz native vm
check-unit: deps
	$(Q)$(PYTHON3) tests/check unit sanitize
check-native: deps
	$(Q)$(PYTHON3) tests/check native
check-vm: deps
	$(Q)$(PYTHON3) tests/check vm
check-long: deps
	$(Q)PSTAT_LONG=1 $(PYTHON3) tests/check lint unit sanitize fuzz native vm
# runs the suites BUSY='native vm' while stress-ng uses two CPUs
check-busy: deps
	$(Q)command -v stress-ng >/dev/null || { echo "check-busy: install Debian's package stress-ng" >&2; exit 1; }
	$(Q)$(PYTHON3) tests/check --busy $(or $(BUSY),native vm)
# builds and runs the suites unit and native in a root of each of these releases of Debian
DISTROS ?= trixie
check-distros:
	$(Q)command -v mmdebstrap >/dev/null || \
		{ echo "check-distros: install Debian's package mmdebstrap" >&2; exit 1; }
	$(Q)for release in $(DISTROS); do \
		PSTAT_BUILD=$(abspath $(B)) tests/distro $$release unit native || exit; done
check-fuzz: deps
	$(Q)$(PYTHON3) tests/check fuzz

# on a machine with a PMU; installs no packages
check-hardware: all workloads
	$(Q)PSTAT=$(abspath $(O)pstat) WORKLOADS=$(abspath $(B)tests/workloads) \
		tests/hardware/check -p $(or $(PERF),perf) -o $(or $(REPORT),$(O)hardware-report.txt)

bench: deps
	$(Q)$(MAKE) --no-print-directory all workloads many-cpus
	$(Q)$(PYTHON3) tests/bench/bench $(BENCH)

sanitized-tests: deps
	$(Q)$(MAKE) --no-print-directory $(SANITIZED) unit-tests

# for tests with random command lines
sanitized-pstat:
	$(Q)$(MAKE) --no-print-directory $(SANITIZED) $(B)sanitize/pstat

fuzz: deps
	$(Q)$(MAKE) --no-print-directory $(SANITIZED) fuzzers
	$(Q)tests/fuzz/run $(B)sanitize/.build/tests/fuzz

lint: deps
	$(Q)$(MAKE) --no-print-directory all workloads
	$(Q)tests/lint/all $(B)

MAN_PAGES := $(patsubst Documentation/%.adoc,$(B)man/%,$(sort $(wildcard Documentation/*.adoc)))
man: $(MAN_PAGES)
$(B)man/%: Documentation/%.adoc
	$(call say,MAN,$*)mkdir -p $(@D); asciidoctor --failure-level=WARN -b manpage -a manmanual='pstat' -a mansource='pstat $(VERSION)' -o $@ $<

install: all man $(B)pstat-self.pc
	$(call say,INSTALL,$(DESTDIR)$(bindir)/pstat)install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man3 \
		$(DESTDIR)$(includedir) $(DESTDIR)$(libdir) $(DESTDIR)$(pkgconfigdir) \
		$(DESTDIR)$(bashcompdir) $(DESTDIR)$(prefix)/lib/pstat
	$(Q)install -m 755 $(O)pstat $(DESTDIR)$(bindir)/pstat
	$(Q)ln -sf pstat $(DESTDIR)$(bindir)/perf-pstat
	$(Q)ln -sfr $(DESTDIR)$(bindir)/pstat $(DESTDIR)$(prefix)/lib/pstat/perf # for scripts that call perf
	$(Q)install -m 644 completion/pstat.bash $(DESTDIR)$(bashcompdir)/pstat
	$(Q)ln -sf pstat $(DESTDIR)$(bashcompdir)/perf-pstat
	$(Q)install -m 644 include/pstat-self.h $(DESTDIR)$(includedir)/
	$(Q)install -m 644 $(O)libpstat-self.a $(DESTDIR)$(libdir)/
	$(Q)install -m 644 $(B)pstat-self.pc $(DESTDIR)$(pkgconfigdir)/
	$(Q)install -m 644 $(filter %.1,$(MAN_PAGES)) $(DESTDIR)$(mandir)/man1/
	$(Q)printf '.so man1/pstat.1\n' > $(DESTDIR)$(mandir)/man1/perf-pstat.1 # for `perf help pstat`
	$(Q)chmod 644 $(DESTDIR)$(mandir)/man1/perf-pstat.1
	$(Q)install -m 644 $(filter %.3,$(MAN_PAGES)) $(DESTDIR)$(mandir)/man3/

# ---- vendors' events ----------------------------------------------------------------------------
# a tarball or a tree; the newest version is the last one
newest = $(lastword $(shell printf '%s\n' $(1) | sort -V))
json_folder := tools/perf/pmu-events/arch
EVENTS_SOURCE ?= $(or $(call newest,$(wildcard /usr/src/linux-source-*.tar.xz)), \
	$(call newest,$(patsubst %/$(json_folder),%,$(wildcard /usr/src/linux-source-*/$(json_folder)))))
EVENTS_ARCHS ?= x86 arm64
events_source := $(strip $(EVENTS_SOURCE))

$(if $(events_source),,$(if $(filter events install-events,$(MAKECMDGOALS)),$(error \
	no source of vendors' events: install Debian's package linux-source-6.12 \
	(`make deps-events`), or set EVENTS_SOURCE to a kernel tree or a tarball of one)))

.PHONY: events install-events deps-events
deps-events: deps
	$(Q)scripts/deps events

# Packs again if the source or the script is newer. Reading a tarball takes half a minute.
events_folder := $(B)events/$(subst /,-,$(patsubst /%,%,$(events_source)))
$(events_folder)/stamp: scripts/pack-events $(wildcard $(events_source))
	$(call say,PACK,$(events_source))rm -rf $(@D) && mkdir -p $(@D) && \
		$(PYTHON3) scripts/pack-events '$(events_source)' $(@D) $(EVENTS_ARCHS) && touch $@
events: $(events_folder)/stamp

install-events: events
	$(call say,INSTALL,$(DESTDIR)$(eventsdir))install -d $(DESTDIR)$(eventsdir)
	$(Q)install -m 644 $(events_folder)/*.events $(DESTDIR)$(eventsdir)/

DEBDIR ?= $(or $(O),.)
deb: all man $(if $(events_source),events)
	$(if $(TARGET)$(SANITIZE),$(error a package is made of a plain build for this machine: without TARGET and SANITIZE))
	$(Q)rm -rf $(B)deb
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(B)deb prefix=/usr \
		libdir=/usr/lib/$$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	$(call say,DEB,pstat $(VERSION))scripts/deb $(B)deb $(VERSION) $(DEBDIR)
	$(Q)rm -rf $(B)deb-events
ifeq ($(events_source),)
	$(Q)echo '  DEB     no pstat-events: `make deps-events` installs the source that it is made of'
else
	$(Q)$(MAKE) --no-print-directory install-events DESTDIR=$(B)deb-events prefix=/usr
	$(call say,DEB,pstat-events)scripts/deb-events $(B)deb-events $(VERSION) $(DEBDIR)
endif

clean:
	$(call say,CLEAN,)rm -rf $(B) $(O)pstat $(O)pstat-static-* $(O)libpstat-self.a $(O)pstat_*.deb \
		$(O)pstat-events_*.deb

-include $(LIB_OBJS:.o=.d) $(BIN_OBJS:.o=.d) $(SELF_OBJS:.o=.d) $(SKELS:.skel.h=.bpf.d) $(WORKLOAD_SKELS:.skel.h=.bpf.d) \
	$(WORKLOADS:=.d) $(EXAMPLES:=.d) $(UNIT_TESTS:=.d) $(UNIT_HELPERS:=.d) $(B)tests/native/fault-shim.so.d $(B)tests/bench/many-cpus.so.d \
	$(B)tests/imitated/shim.so.d $(IMITATED:=.d) $(FUZZERS:=.d)
