# make              the libraries, lt-run and libhamkaas.so, into $(O); installs missing packages where it may
#                   (scripts/setup.sh; SETUP=no: none), and says at its end what is left out, and how to have it
# make debug        the same with MODE=debug, into build/debug;  make release: with MODE=release, which is the default
# make debug-cudnn  make release-cudnn: names of HamKaas for the same; say what libhamkaas.so has
# make wasm         the library as WebAssembly with its package of JavaScript, in $(O)/js (docs/javascript-library.md);
#                   PLUGINS=examples/plugin/trace links backends of others in, ISL=DIR has isl's own source
# make wasm-check   lt-check linked with that library, run by node; CHECK='-b ref --filter memory/' as its options
# make playground   a page with that library, in $(O)/playground: static files (docs/playground.md)
# make python       the package looptree for Python 3.11 and later, in build/python; pip install . makes a wheel of it
# make demo         handwritten-style digits, classified by lt-run      make demo-accuracy   2000 MNIST images
# make check        what needs no device, in ten minutes        make check-more   the tests that take longer
# make bless        rewrites what tests compare with
# make bench        a short pass of lt-bench; BENCH='gemm --threads 1,2' another one
# make python-check tests of it: mypy, and pytest on tests/python; make python-asan: bad input under AddressSanitizer
# make bench-peers  Python's libraries for it
# make onnx-suite   the tests of the onnx package (PyPI) against the frontend onnx; ONNX='-b cpu softmax' as arguments
# make plugins      the backend of examples/plugin, and ours as plug-ins
# make fuzz         20000 random schedules, trees of a GPU, default trees of GPUs and graphs at the limits, 1000 layers,
#                   100000 models of ONNX at the limits, 10000 graphs everywhere, 20000 of integers, mutants, libFuzzer
#                   for 60 s each
# make mutants      wrong kernels that lt-run --verify must catch: MUTANTS_EACH=60 a script, MUTANTS_SEED=1
# make gpu          what tools/gpu-check.sh and gpu-bench.sh need on a machine with a GPU that cannot build
# make tidy         floors, doors, circles, no function twice, headers that compile alone, lines of at most 120 bytes
# make install PREFIX=/usr/local DESTDIR=  libraries, tools, man pages, completions, docs, examples
# make uninstall    make clean
# Knobs, on the command line or in config.mk: MODE=debug|release SAN=address,undefined CC CFLAGS LDFLAGS O V=1
#                   LLVM=llvm-config-15 (default: the newest; LLVM= builds without it);
#                   CUDA=/usr/local/cuda/include (default: where its headers are found; CUDA= builds without it);
#                   CUDNN=/usr/include, OPENCL=/usr/include (the same for those of cuDNN and OpenCL);
#                   PROTOC=protoc-c (default: protobuf-c where it is found; PROTOC= builds without models of ONNX);
#                   PYTHON=python3 (whose headers the package for Python is built with);
#                   SETUP=no installs no packages;
#                   for install: PREFIX DESTDIR LIBDIR=$(PREFIX)/lib DOCDIR=$(PREFIX)/share/doc/looptree

-include config.mk
VERSION := 0.1.0
CC      := $(if $(filter default,$(origin CC)),cc,$(CC))
MODE    ?= release
SAN     ?=
comma   := ,
O       ?= build$(if $(SAN),/$(subst $(comma),-,$(SAN)))$(if $(filter debug,$(MODE)),/debug)
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DOCDIR  ?= $(PREFIX)/share/doc/looptree
FUZZ_SECONDS ?= 60
FUZZ_SEQUENCES ?= 20000
FUZZ_LIMITS ?= 20000
FUZZ_LAYERS ?= 1000
FUZZ_DEFAULTS ?= 20000
FUZZ_GRAPHS ?= 10000
FUZZ_INTEGERS ?= 20000
FUZZ_TREES ?= 20000
FUZZ_MODELS ?= 100000
FUZZ_SEED ?= $(shell date +%Y%m%d)0000
MUTANTS_EACH ?= 60
MUTANTS_SEED ?= $(shell date +%Y%m%d)
BENCH   ?= gemm mlp compile --seconds 0.02
CFLAGS  ?= $(if $(filter debug,$(MODE)),-O0 -g3,-O2 -g)

# Goals that need no compiler need no packages; those that test need the test framework too, as does tidy, which
# compiles the tests' headers.
GOALS := $(or $(MAKECMDGOALS),all)
BUILDS := $(filter-out clean tidy uninstall bench-peers left-out,$(GOALS))
# For $(shell), too, which gets no exported variables.
setup := SETUP='$(SETUP)' scripts/setup.sh
ifneq ($(BUILDS),)
$(shell $(setup) $(if $(filter check check-more tests bless,$(GOALS)),check) >&2)
ifneq ($(.SHELLSTATUS),0)
$(error packages are missing)
endif
endif

# What not every machine has, unless it is chosen by hand: it is looked for, and LLVM and protobuf-c, which main
# features need, are installed.
LOOKED_FOR := $(foreach f,LLVM PROTOC CUDA CUDNN OPENCL,$(if $(filter undefined,$(origin $f)),$f))
ifneq ($(filter all built debug% release% plugins check check-more tests onnx-suite bench demo% tell-hamkaas,$(GOALS)),)
$(if $(filter LLVM,$(LOOKED_FOR)),$(shell $(setup) llvm '$(O)' >&2))
$(if $(filter PROTOC,$(LOOKED_FOR)),$(shell $(setup) onnx '$(O)' >&2))
endif
# The OpenCL device, the other machines for which lt-build is tested, and the browser in which a test opens pages.
$(if $(filter check check-more tests,$(GOALS)),$(shell $(setup) opencl >&2))
$(if $(filter check check-more,$(GOALS)),$(shell for s in cross micro wasm browser; do $(setup) $$s >&2; done))
# The headers of CUDA, cuDNN and OpenCL, whose libraries are opened when a program asks for them; the compiler of
# protobuf-c, by which models of ONNX are read.
CUDA   := $(if $(filter CUDA,$(LOOKED_FOR)),$(shell scripts/cuda.sh),$(CUDA))
CUDNN  := $(if $(CUDA),$(if $(filter CUDNN,$(LOOKED_FOR)),$(shell scripts/cudnn.sh $(CUDA)),$(CUDNN)))
OPENCL := $(if $(filter OPENCL,$(LOOKED_FOR)),$(shell scripts/opencl.sh),$(OPENCL))
PROTOC := $(if $(filter PROTOC,$(LOOKED_FOR)),$(shell scripts/onnx.sh),$(PROTOC))
LLVM   := $(if $(filter LLVM,$(LOOKED_FOR)),$(shell scripts/llvm.sh),$(LLVM))
# What was looked for in vain, told at the end of what a user asks for.
MISSING = $(filter-out $(if $(CUDA),,CUDNN),$(foreach f,$(LOOKED_FOR),$(if $($f),,$f)))
tell_left_out = @$(if $(MAKELEVEL:0=),:,$(setup) left-out '$(O)' $(MISSING))

# The folders of the library: all below its floors that hold sources, less what is built as a file of its own and what
# needs headers that are not there.  Which folder may include which is in scripts/structure.py.
FLOORS  = base ir looptree kernel backends frontends program
LEFT_OUT = backends/llvm $(if $(CUDA),,backends/cuda) $(if $(CUDNN),,backends/cudnn) \
	$(if $(OPENCL),,backends/opencl) $(if $(PROTOC),,frontends/onnx)
DIRS   := $(filter-out $(LEFT_OUT),$(sort $(patsubst %/,%,$(dir $(shell find $(FLOORS) -name '*.c')))))
# And above them, in no library: check, which lt-check and the tests share; tools; tests.

WARN  = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion
FLAGS = -std=gnu11 $(WARN) -Iinclude -I. -I$(O) -DLT_VERSION='"$(VERSION)"' -fPIC -fvisibility=hidden \
	-pthread $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(PACKAGE_FLAGS) $(CFLAGS)

ifneq ($(BUILDS),)
PACKAGES  := isl libzip jansson libxxhash $(if $(PROTOC),libprotobuf-c)
PACKAGE_FLAGS := $(shell pkg-config --cflags $(PACKAGES))
LIBS      := $(shell pkg-config --libs-only-L isl) -lisl \
	$(if $(PROTOC),$(shell pkg-config --libs libprotobuf-c)) -ldl -lpthread -lm
LLVM_FLAGS = -isystem $(shell $(LLVM) --includedir)
LLVM_LIBS  = $(shell $(LLVM) --ldflags --libs)
LLVM_PARTS = $(shell CC='$(CC)' scripts/llvm.sh static $(LLVM))
TOOL_LIBS := $(shell pkg-config --libs libzip jansson) $(LIBS)
endif
MAKEFLAGS += -r
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

OBJ     = $(patsubst %.c,$(O)/%.o,$(wildcard $(DIRS:=/*.c))) $(ONNX_OBJ)
# The messages of ONNX, as protobuf-c reads them.
ONNX_OBJ = $(if $(PROTOC),$(O)/frontends/onnx/onnx.pb-c.o)
PROGRAM = $(patsubst %.c,$(O)/%,$(notdir $(wildcard tools/*/lt-*.c)))
TESTS   = $(patsubst %.c,$(O)/%,$(wildcard tests/test_*.c))
# What programs and tests have in common, as an archive, of which each takes what it needs: check/, and the parts of
# tools.  Those of lt-check are its own, since it listens to getenv; those of libhamkaas.so too.
PARTS   = $(O)/parts.a
PART    = $(patsubst %.c,$(O)/%.o,$(wildcard check/*/*.c) \
	$(filter-out tools/check/% tools/hamkaas/%,$(filter-out $(wildcard tools/*/lt-*.c),$(wildcard tools/*/*.c))))
OWN     = $(patsubst %.c,$(O)/%.o,$(filter-out %/lt-check.c,$(wildcard tools/check/*.c)))
HAMKAAS = $(patsubst %.c,$(O)/%.o,$(wildcard tools/hamkaas/*.c))
HELPERS = $(patsubst %.c,$(O)/%.o,$(filter-out tests/test_%.c,$(wildcard tests/*.c)))
FUZZ    = $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))
# Random schedules and layers in large numbers: programs without the test framework, and the helpers that need none.
RANDOM  = $(patsubst %,$(O)/tests/%.o,random_layer random_layer_source random_layer_steps random_product \
	random_schedule random_gpu random_gpu_recipe batch default_trees random_default \
	layer_runs run_graph tree_text random_limits random_limits_draw random_limits_model random_limits_text \
	pool_stress networks)
DRAWN   = $(patsubst tests/sequences/%.c,$(O)/%,$(wildcard tests/sequences/*.c))
# Wrong kernels that lt-run --verify must catch.
MUTANTS = $(patsubst %.c,$(O)/%.o,$(wildcard tests/mutants/*.c))
# Plug-ins: a file, or the files of a folder; ours are built as such, too, for the tests.
PLUGIN_FILES = $(patsubst %.c,$(O)/%.so,\
	$(wildcard tests/plugins/*.c tests/faults/*.c tests/interpose/*.c examples/plugin/*.c))
FOLDERS = $(patsubst %/,$(O)/%.so,$(wildcard examples/plugin/*/))
OURS    = $(O)/plugins/ref.so $(O)/plugins/cpu.so
# An optional backend: loaded by the tools from the folder that it is installed in.
OPTIONAL = $(if $(LLVM),$(O)/backends/llvm.so)
# Where it is not built, one of an earlier build must not stay: tools would take it.
WITHOUT = $(if $(LLVM),,without-llvm)
# Tests of its parts.
LLVM_TESTS = $(if $(LLVM),$(patsubst %.c,$(O)/%,$(wildcard tests/llvm/test_*.c)))
# Tests of the backend cuda, on a driver that is not there (libcuda.so.1) and on a device.
CUDA_TESTS = $(if $(CUDA),$(patsubst tests/cuda/%.c,$(O)/tests/cuda/%,$(wildcard tests/cuda/test_*.c)))
MOCK_CUDA = $(if $(CUDA),$(addprefix $(O)/tests/cuda/,libcuda.so.1 libcublasLt.so.13 libcublas.so.13))
# The same of cudnn, on a library that is not there either.
CUDNN_TESTS = $(if $(CUDNN),$(patsubst tests/cudnn/%.c,$(O)/tests/cudnn/%,$(wildcard tests/cudnn/test_*.c)))
MOCK_CUDNN = $(MOCK_CUDA) $(if $(CUDNN),$(addprefix $(O)/tests/cudnn/,libcudnn.so.9 libnvrtc.so.13 driver/libcuda.so.1))
# Tests of the backend opencl, on whatever device there is: PoCL makes one of the processor.
OPENCL_TESTS = $(if $(OPENCL),$(patsubst tests/opencl/%.c,$(O)/tests/opencl/%,$(wildcard tests/opencl/test_*.c)))
# Tests of models of ONNX.
ONNX_TESTS = $(if $(PROTOC),$(patsubst tests/onnx/%.c,$(O)/tests/onnx/%,$(wildcard tests/onnx/test_*.c)))
# The tests that try the interface once more, with ref and cpu as plug-ins of a library that has neither, and no onnx.
PLUGGED = $(patsubst %,$(O)/plugged/test_%_plugged,backend ref_tree operators cpu cpu_save \
	cache cache_folder cache_plugins foreign)
EXAMPLE = $(patsubst examples/mnist/%.c,$(O)/mnist-%,$(wildcard examples/mnist/*.c))
SO      = liblooptree.so
SONAME  = $(SO).$(firstword $(subst ., ,$(VERSION)))
# The package for Python: a module of the limited API, and the files of python/looptree beside it.
PYTHON  ?= python3
PYTHON_INCLUDE = $(shell $(PYTHON) -c 'import os, sysconfig; p = sysconfig.get_path("include"); \
	print(p if os.path.exists(p + "/Python.h") else "")' 2>/dev/null)
PYTHON_CORE = $(O)/python/looptree/_core.abi3.so
PYTHON_ASAN = bad device memory progress program threads tree

say  = $(if $(V),,@echo '  $(1)';)
link = $(call say,LD $@)mkdir -p $(@D) && $(CC) $(FLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

all: built
	$(tell_left_out)
left-out:
	$(tell_left_out)
# Found beside the module in a wheel, and two folders up here.
$(PYTHON_CORE): python/looptree/_core.c $(wildcard include/lt/*.h) $(O)/flags | $(O)/$(SO)
	@mkdir -p $(@D)
	$(if $(PYTHON_INCLUDE),,$(error $(PYTHON) has no Python.h: apt-get install -y python3-dev))
	$(call say,LD $@)$(CC) $(filter-out -Wpedantic,$(FLAGS)) $(LDFLAGS) -isystem $(PYTHON_INCLUDE) -shared -o $@ $< \
		-L$(O) -llooptree '-Wl,-rpath,$$ORIGIN/lib:$$ORIGIN/../..' -lpthread
# What the package knows of the interface: the headers' own words.
$(O)/python/looptree/_facts.txt: scripts/facts.sh $(wildcard include/lt/*.h)
	@mkdir -p $(@D)
	@scripts/facts.sh include lt.h | LC_ALL=C sort -V | grep -v '^macro' >$@
wasm playground wasm-check: $(O)/ir/op/prelude_text.h $(O)/kernel/own_text.h $(O)/python/looptree/_facts.txt
	@$(setup) emscripten
	@+$(MAKE) -f js/Makefile O=$(O)/js TEXTS=$(O) VERSION=$(VERSION) PAGE=$(O)/playground \
		ARGS="$(or $(CHECK),-b wasm)" $(patsubst wasm-%,%,$(@:wasm=all))
python: $(PYTHON_CORE) $(O)/python/looptree/_facts.txt
	@ln -sf $(CURDIR)/python/looptree/*.py $(CURDIR)/python/looptree/*.pyi $(CURDIR)/python/looptree/py.typed $(<D)
built: $(O)/$(SO) $(O)/liblooptree.a $(O)/liblt-kernel.a $(O)/libhamkaas.so $(PROGRAM) $(OPTIONAL) $(WITHOUT)
debug release:
	@$(MAKE) --no-print-directory MODE=$@ all
	$(tell_left_out)
# HamKaas has a build with cuDNN and one without; here there is one, and what it runs on is found when it runs.
debug-cudnn release-cudnn:
	@$(MAKE) --no-print-directory MODE=$(@:-cudnn=) tell-hamkaas
	$(tell_left_out)
tell-hamkaas: built
	@$(setup) hamkaas '$(O)' 'make $(MODE)'

$(PROGRAM) $(O)/libhamkaas.so: | $(WITHOUT)
without-llvm:
	@rm -f $(O)/backends/llvm.so

REVISIONS = $(patsubst %,$(O)/backends/%/revision.h,cpu $(if $(CUDA),cuda) $(if $(OPENCL),opencl))
$(O)/%.o: %.c $(O)/flags | $(O)/ir/op/prelude_text.h $(REVISIONS)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

$(O)/backends/cuda/%.o: private FLAGS += -isystem $(CUDA)
$(O)/backends/cudnn/%.o: private FLAGS += $(addprefix -isystem ,$(CUDA) $(filter-out $(CUDA) /usr/include,$(CUDNN)))
$(O)/backends/opencl/%.o: private FLAGS += $(addprefix -isystem ,$(filter-out /usr/include,$(OPENCL)))
$(patsubst %.c,$(O)/%.o,$(wildcard frontends/onnx/*.c)): | $(ONNX_OBJ:.o=.h)
$(ONNX_OBJ): $(ONNX_OBJ:.o=.h)
	$(call say,CC $(@:.o=.c))$(CC) $(FLAGS) -w -c -o $@ $(@:.o=.c)
$(ONNX_OBJ:.o=.h): frontends/onnx/onnx.proto
	@mkdir -p $(@D)
	$(call say,PROTOC $<)$(PROTOC) --c_out=$(O) $<
# The oracle's values are the same on every processor: no product is contracted into its sum.  Its rows are vectors in a
# release.
$(filter $(O)/ir/eval/%.o,$(OBJ)) $(O)/ir/op/op.o: private FLAGS += -ffp-contract=off
$(O)/ir/eval/row.o: private FLAGS += -fno-math-errno -fno-trapping-math $(if $(filter debug,$(MODE)),,-O3)
# Where installed tools look for plug-ins: rebuilt when it changes, as between make and make install PREFIX=...
$(O)/tools/common/plugins.o: FLAGS += -DLT_BACKEND_DIR='"$(LIBDIR)/looptree/backends"'
# And where messages name an installed document (base/document.h).
DOCUMENTED = $(O)/looptree/schedule/schedule.o $(O)/program/nest/schedule.o
$(DOCUMENTED): FLAGS += -DLT_DOC_DIR='"$(DOCDIR)"'
$(O)/tools/common/plugins.o $(DOCUMENTED): $(O)/folders
$(O)/folders: FORCE
	@mkdir -p $(@D); echo '$(LIBDIR) $(DOCDIR)' | cmp -s - $@ || echo '$(LIBDIR) $(DOCDIR)' >$@

# Changes when the compiler or its flags do, and with it every object.
$(O)/flags: FORCE
	@mkdir -p $(@D); { $(CC) --version | head -n 1; echo '$(subst ',,$(FLAGS))'; } >$@.now
	@if cmp -s $@.now $@; then rm $@.now; else mv $@.now $@; fi

# A text as strings of C, one a line.
as_strings = mkdir -p $(@D); sed 's/[\\"]/\\&/g; s/^/"/; s/$$/",/' $^ >$@
$(O)/ir/op/prelude_text.h: ir/op/prelude.h
	@$(as_strings)
$(O)/kernel/own_text.h: include/lt/own.h
	@$(as_strings)
$(O)/kernel/own.o: $(O)/kernel/own_text.h
$(O)/backends/cudnn/reference_text.h: backends/cudnn/reference.h
	@$(as_strings)
$(O)/backends/cudnn/kernel.o: $(O)/backends/cudnn/reference_text.h
$(O)/tools/build/main_text.h: $(addprefix tools/build/standalone/,threads.c main.c)
	@$(as_strings)
$(O)/tools/build/compile.o: $(O)/tools/build/main_text.h
$(O)/tools/build/micro_text.h: tools/build/standalone/micro.c
	@$(as_strings)
$(O)/tools/build/micro.o: $(O)/tools/build/micro_text.h
MODULE_TEXTS := $(addprefix $(O)/tools/build/module_,text.h types_text.h npy_text.h run_text.h page_text.h)
$(O)/tools/build/module_text.h: tools/build/module/model.js
	@$(as_strings)
$(O)/tools/build/module_types_text.h: tools/build/module/model.d.ts
	@$(as_strings)
$(O)/tools/build/module_npy_text.h: tools/build/module/npy.js
	@$(as_strings)
$(O)/tools/build/module_run_text.h: tools/build/module/run.js
	@$(as_strings)
$(O)/tools/build/module_page_text.h: tools/build/module/page.html
	@$(as_strings)
$(O)/tools/build/module.o: $(MODULE_TEXTS)
$(O)/tools/run/view_text.h: tools/run/view.html
	@$(as_strings)
$(O)/tools/run/view.o: $(O)/tools/run/view_text.h

# Which printer made a kernel that is kept on disk: a hash of its sources, and of headers whose numbers decide code.
PRINTS := $(sort $(shell find base kernel backends/text -type f))
$(O)/backends/cpu/revision.h: $(PRINTS) $(wildcard backends/cpu/*) \
		$(patsubst %,include/lt/%.h,kernel tree target)
	@mkdir -p $(@D)
	@echo "#define LT_CPU_REVISION \"$$(cat $^ | sha256sum | cut -c 1-16)\"" >$@
$(O)/backends/cuda/revision.h: $(PRINTS) $(wildcard backends/cuda/*)
	@mkdir -p $(@D)
	@echo "#define LT_CUDA_REVISION \"$$(cat $^ | sha256sum | cut -c 1-16)\"" >$@
$(O)/backends/opencl/revision.h: $(PRINTS) $(wildcard backends/opencl/*)
	@mkdir -p $(@D)
	@echo "#define LT_OPENCL_REVISION \"$$(cat $^ | sha256sum | cut -c 1-16)\"" >$@

# The whole library as one object: nothing in it, such as a backend that registers itself, can be left out by a linker.
$(O)/looptree.o: $(OBJ) $(wildcard $(DIRS)) $(O)/dirs
	$(call say,LD $@)$(CC) -r -nostdlib -o $@ $(OBJ)

# Changes when the toolkit of CUDA comes or goes.
$(O)/dirs: FORCE
	@mkdir -p $(@D); echo '$(DIRS)' | cmp -s - $@ || echo '$(DIRS)' >$@

$(O)/$(SO).$(VERSION): $(O)/looptree.o
	$(link) -shared -Wl,-soname,$(SONAME) $(if $(SAN),,-Wl,-z,defs) $(LIBS)

$(O)/$(SO): $(O)/$(SO).$(VERSION)
	@ln -sf $(<F) $(O)/$(SONAME) && ln -sf $(SONAME) $@

# Only the public names of the archive can clash with a program's own.
$(O)/liblooptree.a: $(O)/looptree.o
	$(call say,AR $@)objcopy --localize-hidden $< $(O)/liblooptree.o
	@rm -f $@ && ar rcs $@ $(O)/liblooptree.o

# Kernel programs alone, for plug-ins, which link it into themselves: what lt/kernel.h declares, hidden as their own.
$(O)/liblt-kernel.a: $(filter $(O)/kernel/%.o,$(OBJ)) $(O)/dirs
	$(call say,AR $@)$(CC) -r -nostdlib -o $(O)/liblt-kernel.o $(filter %.o,$^)
	@objcopy --wildcard --keep-global-symbol='lt_kernel_*' --keep-global-symbol='lt_opcode_*' $(O)/liblt-kernel.o
	@rm -f $@ && ar rcs $@ $(O)/liblt-kernel.o

$(PARTS): $(PART) $(O)/parts
	$(call say,AR $@)rm -f $@ && ar rcs $@ $(PART)

# Changes when a file comes or goes.
$(O)/parts: FORCE
	@mkdir -p $(@D); echo '$(PART)' | cmp -s - $@ || echo '$(PART)' >$@

$(O)/libhamkaas.so: $(HAMKAAS) $(PARTS) $(O)/looptree.o tools/hamkaas/hamkaas.map
	$(link) -shared -Wl,--version-script=tools/hamkaas/hamkaas.map $(LIBS)

.SECONDEXPANSION:
$(PROGRAM): $(O)/%: $$(addprefix $(O)/,$$(addsuffix .o,$$(basename $$(wildcard tools/*/$$*.c)))) \
		$$(if $$(filter lt-check,$$*),$(OWN)) $(PARTS) $(O)/looptree.o
	$(link) $(TOOL_LIBS)

# tests/test_check*.c try the parts of lt-check.
$(TESTS): %: %.o $(HELPERS) $$(if $$(findstring /test_check,$$@),$(OWN)) $(PARTS) $(O)/looptree.o
	$(link) -lcriterion $(TOOL_LIBS)

$(O)/bare.o: $(filter-out $(O)/backends/ref/% $(O)/backends/cpu/% $(O)/frontends/onnx/%,$(OBJ)) $(wildcard $(DIRS)) \
		$(O)/dirs
	$(call say,LD $@)$(CC) -r -nostdlib -o $@ $(filter %.o,$^)

# Without the helpers that look into the backend cpu.
$(PLUGGED): $(O)/plugged/%_plugged: $(O)/tests/%.o \
		$(filter-out $(O)/tests/batch.o $(O)/tests/random_limits%,$(HELPERS)) \
		$(PARTS) $(O)/tests/plugged/load.o $(O)/bare.o | $(OURS)
	$(link) -lcriterion $(TOOL_LIBS)

$(FUZZ): $(O)/fuzz/%: $(O)/tests/fuzz/%.o \
		$(if $(findstring fuzzer,$(SAN)),,$(O)/tests/fuzz/replay.o) $(PARTS) $(O)/looptree.o
	$(link) $(if $(findstring fuzzer,$(SAN)),-fsanitize=fuzzer) $(TOOL_LIBS)

$(DRAWN): $(O)/%: $(O)/tests/sequences/%.o $(RANDOM) $(PARTS) $(O)/looptree.o
	$(link) $(LIBS)

# Kernel programs by hand, in the simulator.
$(O)/simulate: $(O)/tests/kernels/simulate.o $(PARTS) $(O)/looptree.o
	$(link) $(TOOL_LIBS)

$(O)/mutants: $(MUTANTS) $(PARTS) $(O)/looptree.o
	$(link) $(TOOL_LIBS)

$(EXAMPLE): $(O)/mnist-%: $(O)/examples/mnist/%.o $(PARTS) $(O)/looptree.o
	$(link) $(TOOL_LIBS)

# A third party's backend: one file and the public headers.
$(PLUGIN_FILES): $(O)/%.so: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(if $(findstring tests/faults,$<),$(FLAGS),$(filter-out -I. -I$(O),$(FLAGS))) \
		$(LDFLAGS) -DLT_PLUGIN -MMD -MP -shared -o $@ $< -lm

.SECONDEXPANSION:
$(FOLDERS): $(O)/%.so: $$(wildcard %/*.c) $$(wildcard %/*.h) $(wildcard include/lt/*.h) $(O)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(filter-out -I.,$(FLAGS)) $(LDFLAGS) -DLT_PLUGIN -shared -o $@ $(filter %.c,$^) -lm \
		-Wl,--build-id,--version-script=examples/plugin/plugin.map

# Changes when another LLVM is found, or none any more.
$(O)/llvm_config: FORCE
	@mkdir -p $(@D); echo '$(LLVM)' | cmp -s - $@ || echo '$(LLVM)' >$@

# It prints kernel programs: the public headers and liblt-kernel.a, as a backend outside this tree would.
$(O)/backends/llvm.so: $(wildcard backends/llvm/*.[ch] include/lt/*.h) $(O)/liblt-kernel.a $(O)/flags \
		$(O)/llvm_config
	@mkdir -p $(@D)
	$(call say,LD $@)set -e; link() { $(CC) $(filter-out -I. -I$(O),$(FLAGS)) $(LLVM_FLAGS) $(LDFLAGS) -DLT_PLUGIN \
		-shared -o $@ $(filter %.c %.a,$^) "$$@" -lm $(if $(SAN),,-Wl,-z,defs) \
		-Wl,--wrap=getenv,--build-id,--version-script=backends/llvm/plugin.map; }; \
	{ [ '$(firstword $(LLVM_PARTS))' ] && link $(LLVM_PARTS) 2>$@.said && cat $@.said >&2; } || link $(LLVM_LIBS); \
	rm -f $@.said

$(LLVM_TESTS): $(O)/%: %.c $(filter-out backends/llvm/llvm.c,$(wildcard backends/llvm/*.[ch])) $(wildcard tests/*.h) \
		$(HELPERS) $(PARTS) $(O)/looptree.o $(O)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(FLAGS) $(LLVM_FLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LLVM_LIBS) \
		-lcriterion $(TOOL_LIBS)

# They need nothing of the library's own helpers, so that they run where only Criterion and isl are.
$(O)/tests/cuda/%.o: private FLAGS += -isystem $(CUDA)
$(filter-out %_trees %_programs %_bench,$(CUDA_TESTS)): %: %.o $(O)/looptree.o | $(MOCK_CUDA)
	$(link) -lcriterion $(LIBS)
$(filter %_trees %_programs,$(CUDA_TESTS)): %: %.o $(O)/tests/cuda/simulated_device.o $(HELPERS) $(PARTS) \
		$(O)/looptree.o | $(MOCK_CUDA)
	$(link) -lcriterion $(TOOL_LIBS)
$(filter %_bench,$(CUDA_TESTS)): %: %.o $(HELPERS) $(PARTS) $(O)/looptree.o | $(MOCK_CUDA)
	$(link) -lcriterion $(TOOL_LIBS)
CUDA_MEASURES = $(addprefix $(O)/tests/cuda/measure_,cuda blas)
$(CUDA_MEASURES): %: %.o $(O)/looptree.o
	$(link) $(LIBS)
$(O)/tests/cudnn/%.o: private FLAGS += $(addprefix -isystem ,$(CUDA) $(filter-out $(CUDA) /usr/include,$(CUDNN)))
$(CUDNN_TESTS): %: %.o $(HELPERS) $(PARTS) $(O)/looptree.o | $(MOCK_CUDNN)
	$(link) -lcriterion $(TOOL_LIBS)
$(O)/tests/cudnn/libcudnn.so.9: $(O)/tests/cudnn/mock_cudnn.o $(O)/kernel/form/number.o $(O)/tests/cuda/libcuda.so.1
	$(link) -shared -Wl,-soname,$(@F) $(O)/tests/cuda/libcuda.so.1 -lm
$(O)/tests/cudnn/libnvrtc.so.13: $(O)/tests/cudnn/mock_nvrtc.o
	$(link) -shared -Wl,-soname,$(@F)
# A driver on which the library itself builds plans, and nothing runs.
$(O)/tests/cudnn/driver/libcuda.so.1: $(addprefix $(O)/tests/,cudnn/mock_driver.o cuda/mock.o cuda/mock_queue.o)
	@mkdir -p $(@D)
	$(link) -shared -Wl,-soname,$(@F)
$(O)/tests/opencl/%.o: private FLAGS += $(addprefix -isystem ,$(filter-out /usr/include,$(OPENCL)))
$(OPENCL_TESTS): %: %.o $(HELPERS) $(PARTS) $(O)/looptree.o
	$(link) -lcriterion $(TOOL_LIBS)
$(ONNX_TESTS): %: %.o $(O)/tests/onnx/cases.o $(HELPERS) $(PARTS) $(O)/looptree.o
	$(link) -lcriterion $(TOOL_LIBS)
$(O)/models: $(O)/tests/onnx/models.o $(PARTS) $(O)/looptree.o
	$(link) $(TOOL_LIBS)
gpu: $(O)/lt-run $(O)/lt-llama $(O)/lt-check $(O)/lt-bench $(O)/tests/test_grid_trees $(CUDA_MEASURES) \
		$(addprefix $(O)/tests/cuda/test_cuda_,host programs blas bench)
	@tools/gpu-check.sh --pack $(O)/gpu $^
$(O)/tests/cuda/libcuda.so.1: $(O)/tests/cuda/mock.o $(O)/tests/cuda/mock_queue.o
	$(link) -shared -Wl,-soname,$(@F)
$(O)/tests/cuda/libcublas.so.13: $(O)/tests/cuda/mock_cublas.o $(O)/tests/cuda/libcuda.so.1
	$(link) -shared -Wl,-soname,$(@F) $(O)/tests/cuda/libcuda.so.1
$(O)/tests/cuda/libcublasLt.so.13: $(O)/tests/cuda/mock_blas.o $(O)/kernel/form/number.o $(O)/tests/cuda/libcuda.so.1
	$(link) -shared -Wl,-soname,$(@F) $(O)/tests/cuda/libcuda.so.1 -lm

# The objects of the library, except the one that ends with LT_BACKEND.
ours = $(filter $(O)/kernel/%.o $(O)/base/decimal.o $(patsubst %,$(O)/backends/%.o,arguments diagnostic) \
	$(O)/backends/text/%.o $(O)/backends/command/%.o $(O)/backends/$(1)/%.o,$(OBJ))
$(OURS): $(O)/plugins/%.so: $$(call ours,$$*) $(O)/flags
	@mkdir -p $(@D)
	$(call say,LD $@)$(CC) $(FLAGS) $(LDFLAGS) -DLT_PLUGIN -shared $(if $(SAN),,-Wl,-z,defs) -o $@ backends/$*/$*.c \
		$(filter-out $(O)/backends/$*/$*.o,$(filter %.o,$^)) -ldl -lm

plugins: $(filter $(O)/examples/%,$(PLUGIN_FILES)) $(FOLDERS) $(OURS) $(OPTIONAL)
tests: built $(TESTS) $(PLUGGED) $(LLVM_TESTS) $(CUDA_TESTS) $(CUDNN_TESTS) $(OPENCL_TESTS) $(ONNX_TESTS) \
	$(if $(CUDA),$(CUDA_MEASURES)) \
	$(FUZZ) $(EXAMPLE) $(PLUGIN_FILES) $(O)/graphs $(O)/gpu_trees $(O)/limits $(O)/mutants \
	$(O)/simulate $(if $(PROTOC),$(O)/models) \
	plugins
# Recipes that name $(MAKE) are run by make -n, too.
THIS_MAKE = $(MAKE)
check check-more: tests
	@O=$(O) CC='$(CC)' SAN='$(SAN)' DIRS='$(DIRS)' MAKE='$(THIS_MAKE)' tests/check.sh $(if $(filter %-more,$@),--more) \
		$(TESTS) $(PLUGGED) $(LLVM_TESTS) $(CUDA_TESTS) $(CUDNN_TESTS) $(OPENCL_TESTS) $(ONNX_TESTS)
bless: built $(addprefix $(O)/tests/,test_script_docs test_tree_text test_bench_predicted test_bench_grids \
		test_networks test_partition) $(filter %/test_cudnn_partition,$(CUDNN_TESTS))
	@O=$(O) tests/golden.sh --bless; O=$(O) tests/readme.sh --bless; O=$(O) tests/options.sh --bless
	@LT_BLESS=1 $(O)/tests/test_script_docs --filter '*/every_error_has_its_message' >/dev/null
	@LT_BLESS=1 $(O)/tests/test_tree_text --filter '*/each_mistake_has_its_sentence' >/dev/null
	@LT_BLESS=1 $(O)/tests/test_bench_predicted >/dev/null
	@LT_BLESS=1 $(O)/tests/test_bench_grids --filter '*/each_layer_has_its_grid' >/dev/null
	@LT_BLESS=1 $(O)/tests/test_networks --filter '*/each_layer_has_its_tree' >/dev/null
	@for t in $(O)/tests/test_partition $(filter %/test_cudnn_partition,$(CUDNN_TESTS)); do \
		LT_BLESS=1 $$t --filter '*/of_whole_networks' >/dev/null || exit; done
mutants: built $(O)/mutants
	@$(O)/mutants --each $(MUTANTS_EACH) --seed $(MUTANTS_SEED)
# build/fuzz has the programs that replay corpora, one of which is called as a folder of sources is.
FUZZED = build/libfuzzer
# Graphs and mutants without sanitizers: it is the judge that is looked at; trees of a GPU: the simulator.
fuzz: mutants $(O)/graphs $(O)/gpu_trees plugins $(if $(CUDA),$(O)/tests/cuda/libcuda.so.1)
	@$(O)/graphs $(FUZZ_GRAPHS)
	@python3 tests/fixed/everywhere.py $(FUZZ_INTEGERS) $(FUZZ_SEED) $(O)
	@$(O)/gpu_trees $(FUZZ_TREES) $(FUZZ_SEED)
	@$(MAKE) --no-print-directory CC=clang SAN=fuzzer-no-link,address,undefined O=$(FUZZED) fuzzers
	@$(FUZZED)/sequences $(FUZZ_SEQUENCES)
	@$(FUZZED)/limits $(FUZZ_LIMITS)
	@$(FUZZED)/layers $(FUZZ_LAYERS)
	@$(FUZZED)/defaults $(FUZZ_DEFAULTS)
	$(if $(PROTOC),@$(FUZZED)/models $(FUZZ_MODELS))
	@O=$(FUZZED) tests/fuzz.sh $(FUZZ_SECONDS)
fuzzers: $(FUZZ) $(DRAWN) $(if $(PROTOC),$(O)/models)
bench: built
	@$(setup) bench
	$(O)/lt-bench $(BENCH)
bench-peers:
	@$(setup) peers build/peers
onnx-suite: python
	@$(setup) onnx-suite build/onnx-venv
	PYTHONPATH=$(O)/python build/onnx-venv/bin/python bench/onnx_suite.py $(ONNX)
python-check: python $(O)/examples/plugin/trace.so $(if $(PYTHON_TESTS),,$(O)/lt-run) \
		$(if $(CUDA),$(O)/tests/cuda/libcuda.so.1)
	@O=$(O) SAN='$(SAN)' CC='$(CC)' PYTHON='$(PYTHON)' MAKE='$(THIS_MAKE)' TOUR=$(if $(PYTHON_TESTS),,yes) \
		tests/python.sh $(PYTHON_TESTS)
# The library with the sanitizer of addresses in an interpreter that is given that first.
python-asan:
	@$(MAKE) --no-print-directory SAN=address python-check \
		PYTHON_TESTS='$(patsubst %,tests/python/test_%.py,$(PYTHON_ASAN))'
demo: built $(EXAMPLE)
	@O=$(O) examples/mnist/demo.sh
	$(tell_left_out)
demo-accuracy: built $(EXAMPLE)
	@O=$(O) examples/mnist/accuracy.sh
	$(tell_left_out)

TO = $(DESTDIR)$(PREFIX)
LIBTO = $(DESTDIR)$(LIBDIR)
PAGES = $(wildcard docs/*.1)
# Where shells look for how to complete a command: bash for its name, zsh for _NAME, fish for NAME.fish.
SHELLS  = bash zsh fish
to_bash = share/bash-completion/completions
to_zsh  = share/zsh/site-functions
to_fish = share/fish/vendor_completions.d
completion = $(to_$(1))/$(if $(filter zsh,$(1)),_)$(2)$(if $(filter fish,$(1)),.fish)
# What make install puts into DOCDIR, and takes away from there: nothing else in it is touched.
DOCUMENTS = docs examples README.md CHANGELOG.md LICENSE
install_folders = $(if $(and $(strip $(PREFIX)),$(strip $(LIBDIR)),$(strip $(DOCDIR))),,\
	$(error PREFIX, LIBDIR and DOCDIR name folders: none may be empty))
install: built
	$(install_folders)install -d $(TO)/bin $(TO)/include/lt $(TO)/share/man/man1 $(LIBTO)/pkgconfig
	install -d $(LIBTO)/looptree/backends
	install $(PROGRAM) $(TO)/bin
	install -m 644 include/lt/*.h $(TO)/include/lt
	install -m 644 tools/hamkaas/hamkaas.h $(TO)/include
	install -m 644 $(O)/liblooptree.a $(O)/liblt-kernel.a $(LIBTO)
	install $(O)/$(SO).$(VERSION) $(O)/libhamkaas.so $(LIBTO)
	$(if $(OPTIONAL),install $(OPTIONAL) $(LIBTO)/looptree/backends,rm -f $(LIBTO)/looptree/backends/llvm.so)
	ln -sf $(SO).$(VERSION) $(LIBTO)/$(SONAME) && ln -sf $(SONAME) $(LIBTO)/$(SO)
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' \
		looptree.pc.in >$(LIBTO)/pkgconfig/looptree.pc
	set -e; for page in $(notdir $(PAGES)); do \
		sed 's|docs/[a-z-]*\.md|$(DOCDIR)/&|g' docs/$$page >$(TO)/share/man/man1/$$page; done
	set -e; $(foreach shell,$(SHELLS),install -d $(TO)/$(to_$(shell));)
	set -e; $(foreach shell,$(SHELLS),$(foreach tool,$(PROGRAM), \
		$(tool) --completion=$(shell) >$(TO)/$(call completion,$(shell),$(notdir $(tool)));))
	cd $(DESTDIR)$(DOCDIR) 2>/dev/null && rm -rf $(DOCUMENTS) || true
	set -e; { git ls-files $(DOCUMENTS) 2>/dev/null || find $(DOCUMENTS) -type f; } | while read -r f; do \
		install -D -m $$([ -x "$$f" ] && echo 755 || echo 644) "$$f" "$(DESTDIR)$(DOCDIR)/$$f"; done
uninstall:
	$(install_folders)cd $(TO) && rm -rf include/lt include/hamkaas.h $(patsubst $(O)/%,bin/%,$(PROGRAM)) \
		$(patsubst docs/%,share/man/man1/%,$(PAGES)) \
		$(foreach shell,$(SHELLS),$(foreach tool,$(PROGRAM),$(call completion,$(shell),$(notdir $(tool)))))
	cd $(DESTDIR)$(DOCDIR) 2>/dev/null && rm -rf $(DOCUMENTS) || true
	rmdir $(DESTDIR)$(DOCDIR) 2>/dev/null || true
	rm -f $(LIBTO)/looptree/backends/llvm.so
	rmdir $(LIBTO)/looptree/backends $(LIBTO)/looptree 2>/dev/null || true
	cd $(LIBTO) && rm -f liblooptree.* liblt-kernel.a libhamkaas.so pkgconfig/looptree.pc
tidy:
	@$(setup) check
	@CC='$(CC) -std=gnu11 $(WARN)' O='$(O)' scripts/tidy.sh
clean:
	rm -rf build $(O)

-include $(wildcard $(O)/tests/cuda/*.d $(O)/tests/cudnn/*.d $(O)/tests/opencl/*.d $(O)/tests/onnx/*.d)
-include $(wildcard $(O)/tools/*/*.d) $(patsubst %.o,%.d,$(OBJ) $(PART) $(HELPERS) $(MUTANTS)) $(TESTS:=.d) \
	$(PLUGIN_FILES:.so=.d)
-include $(FUZZ:$(O)/fuzz/%=$(O)/tests/fuzz/%.d) $(DRAWN:$(O)/%=$(O)/tests/sequences/%.d) $(O)/tests/kernels/simulate.d
-include $(EXAMPLE:$(O)/mnist-%=$(O)/examples/mnist/%.d)
.PHONY: all built left-out debug release debug-cudnn release-cudnn tell-hamkaas gpu plugins tests check check-more \
	bless bench bench-peers onnx-suite fuzz fuzzers mutants demo demo-accuracy install uninstall tidy clean without-llvm \
	python python-asan python-check FORCE
.SECONDARY:
.DELETE_ON_ERROR:
