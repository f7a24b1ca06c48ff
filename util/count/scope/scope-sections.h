/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads BPF programs that libbpf 1.1 cannot load by itself: kprobe.session programs, which libbpf
 * 1.1 does not know, and fentry and fexit programs, which must be loaded once for each function.
 */
#ifndef PSTAT_COUNT_SCOPE_SECTIONS_H
#define PSTAT_COUNT_SCOPE_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_program;
struct strbuf;

/*
 * Sets *@id to the BTF id of btf_trace_sched_switch, the typedef of the tracepoint sched_switch.
 * The program that runs at context switches is loaded with this id. Returns 0, or -errno with the
 * reason in @why.
 */
int scope_sections__find_switch(uint32_t *id, struct strbuf *why);
/*
 * Registers the ELF sections SCOPE_SECTION_FENTRY and SCOPE_SECTION_SESSION (bpf_skel/scope.h) with
 * libbpf. Call this before opening an object with programs in these sections. Returns 0 or -errno.
 */
int scope_sections__register(void);
/*
 * Call this before loading programs of SCOPE_SECTION_FENTRY. Makes libbpf load these programs for
 * the kernel function with the BTF id @func_id.
 */
void scope_sections__use_fentry(uint32_t func_id);
/*
 * Call this before loading programs of SCOPE_SECTION_SESSION. @is_return_id must be the id of
 * bpf_session_is_return() in the kernel's BTF.
 */
void scope_sections__use_session(uint32_t is_return_id);

/*
 * Loads a copy of @prog, which must be a program of SCOPE_SECTION_FENTRY, for the kernel function
 * with the BTF id @func_id. The copy is an fexit program if @at_return is set, otherwise an fentry
 * program. libbpf must have loaded @prog, and the object of @prog must still be open. Returns an
 * fd, or -errno.
 */
int scope_sections__load_fentry(const struct bpf_program *prog, uint32_t func_id, bool at_return);

#endif
