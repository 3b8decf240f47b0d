// Makes the input of a call ready to be sent: checked by the tool's schema, or repaired as decided and fitted to the target.
// Each change is written down before the attempt that uses it.
// Y1  A compacted request that is not smaller is not used.
// Y2  A repair that fails is reported, and the next recourse of the policy row follows: a failed repair never fails the call by itself.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { CallState, RequestChange } from "../../core/flow/call.ts";
import { readWith } from "../../core/try-read.ts";
import { type Check, type CheckResult, schemaFault } from "../../schema/index.ts";
import type { ChainRequest, Repairs } from "../tool/tool.ts";
import { keptCallKey, type LiveCall, type NotSent } from "./live-call.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";

/** null: the input is ready. */
export async function prepareInput(run: LiveCall): Promise<NotSent> {
  const { state } = run.record;
  const { checkInput, member } = run.binding.tool;
  if (checkInput !== null) return readInput(run, checkInput);
  const unrepaired = member !== null && state.repairDue ? await carryOutRepair(run, state) : null;
  if (unrepaired !== null) return unrepaired;
  if (tryTakeAsGiven(run)) return null;
  const unfit = negotiate(run);
  if (unfit === null) await fitToTarget(run);
  return run.cancelled === null ? unfit : "cancelled";
}

/** Checks the input with the tool's schema. What the schema returns will be sent. */
async function readInput(run: LiveCall, check: Check): Promise<NotSent> {
  const checked = await checkValue(run, check, "input", run.given);
  if (run.cancelled !== null) return "cancelled";
  if (checked.fault === null) run.setSentInput(checked.value);
  return checked.fault;
}

/** Prepares the input without a wait. False: that takes the long way. */
export function prepareAtOnce(run: LiveCall): boolean {
  return run.binding.tool.checkInput === null && tryTakeAsGiven(run);
}

/** Takes the input as it was given, if there is nothing to negotiate or change; false otherwise. */
function tryTakeAsGiven(run: LiveCall): boolean {
  const { member } = run.binding.tool;
  const isReady = member === null || readWith(run.given as ChainRequest, member.passesThrough) === true;
  if (isReady) run.setSentInput(run.given);
  return isReady;
}

async function carryOutRepair(run: LiveCall, { decision, fault: about }: CallState): Promise<NotSent> {
  const { id, member } = run.binding.tool;
  const repair = decision === null ? undefined : REPAIRS[decision.recourse];
  if (member === null || about === null || repair === undefined) return null;
  const given = run.given as ChainRequest;
  const done = await repairInTime(run, (signal) =>
    repair(member.chain.repairs, { input: given, about, signal, target: id }),
  );
  if (run.cancelled !== null) return "cancelled";
  if (done === null) return about;
  if (done.input !== run.given) run.replaceInput(done.input);
  await writeAdapted(run, [{ rule: done.rule, where: "request", why: done.why }], done.kept);
  return null;
}

interface Repaired {
  readonly input: ChainRequest;
  /** The journal keeps the repaired input, because the repair could not be repeated after a crash. */
  readonly kept: boolean;
  readonly rule: string;
  readonly why: string;
}

interface ToRepair {
  readonly input: ChainRequest;
  readonly about: Fault;
  readonly signal: AbortSignal;
  readonly target: string;
}

/** null: this repair is not possible. */
type Repair = (repairs: Repairs<ChainRequest>, given: ToRepair) => Promise<Repaired | null>;

const REPAIRS: Readonly<Record<string, Repair | undefined>> = {
  "compact": async ({ compact, sizeOf }, { input, about, signal, target }) => {
    const smaller = (await compact?.(input, about, signal, target)) ?? null;
    if (smaller === null) return null;
    const [before, after] = [sizeOf(input), sizeOf(smaller)];
    const why = `from about ${before} to about ${after} tokens`;
    return after < before ? { input: smaller, kept: true, rule: "compacted", why } : null;
  },
  "regenerate": ({ regenerate }, { input, about }) => {
    const why = "the answer was not usable; the next request tells the model why";
    const again =
      regenerate === null ? null : { input: regenerate(input, about), kept: true, rule: "asked-again", why };
    return Promise.resolve(again);
  },
  "refresh-credential": async ({ refresh }, { input, about, signal }) => {
    if (refresh === null) return null;
    const fresh = await refresh(input, about, signal);
    // A credential is never kept: after a restart the process gets one of its own.
    return { input: fresh, kept: false, rule: "credential-refreshed", why: "the old one was refused" };
  },
};

/** Changes the request so that the target in charge accepts it. */
async function fitToTarget(run: LiveCall): Promise<void> {
  const { member } = run.binding.tool;
  if (member === null) return;
  const { request, changes } = member.fit(run.given as ChainRequest);
  run.setSentInput(request);
  if (changes.length > 0) await writeAdapted(run, changes, false);
}

async function writeAdapted(run: LiveCall, changes: readonly RequestChange[], kept: boolean): Promise<void> {
  const { call, record, request, binding } = run;
  const event = { type: "call-adapted", call, tool: binding.tool.id, changes, kept } as const;
  const key = keptCallKey(request.recorder.session, call);
  await record.write(event, kept ? [{ kind: "input", key, value: { value: run.given } }] : []);
}

/** null: the repair was not possible, threw, or took too long. */
async function repairInTime(
  run: LiveCall,
  work: (signal: AbortSignal) => Promise<Repaired | null>,
): Promise<Repaired | null> {
  const given = new AbortController();
  try {
    return await inTime(run, work(given.signal));
  } catch (error) {
    const why = `a repair for ${run.binding.tool.id} failed; the policy's next recourse follows`;
    run.engine.suppress(classify({ surface: "node", error }), why);
    return null;
  } finally {
    given.abort();
  }
}

type CheckedValue = { readonly value: unknown; readonly fault: null } | { readonly value: null; readonly fault: Fault };

/** Checks a value on its way into or out of a tool against the schema the tool declared. */
export async function checkValue(
  run: LiveCall,
  check: Check,
  kind: "input" | "output",
  value: unknown,
): Promise<CheckedValue> {
  const { id } = run.binding.tool;
  const checking = check(value);
  const result: CheckResult | null = checking instanceof Promise ? await inTime(run, checking) : checking;
  if (result === null) return { value: null, fault: tookTooLong(id, kind) };
  if (result.ok) return { value: result.value, fault: null };
  run.record.thrown = result.thrown?.error;
  return { value: null, fault: schemaFault(kind, id, result) };
}

function tookTooLong(tool: string, kind: "input" | "output"): Fault {
  return fault("ExecutionTimeout", {
    message: `the schema of the ${kind} of ${tool} did not answer in time`,
    context: { field: kind, ran: kind === "output" },
  });
}

/** Waits for a schema or a repair, at most as long as for the tool and until the call's deadline. null: the time was up. */
function inTime<T>(run: LiveCall, work: Promise<T>): Promise<T | null> {
  const { binding, request, engine } = run;
  return run.within(work, Math.min(engine.clock.now() + binding.tool.timeoutMs, request.deadline.at));
}

/** The fault code for a capability that a target lacks. */
const CODE_OF_NEED: Readonly<Record<string, FaultCode>> = {
  streaming: "MissingStreaming",
  tools: "MissingToolCalling",
  vision: "MissingModality",
  files: "MissingModality",
  audio: "MissingModality",
};

/** Checked before each target is tried: null when it can do what the request needs. */
function negotiate({ binding, sentInput }: LiveCall): Fault | null {
  const { member } = binding.tool;
  if (member === null) return null;
  const { model, capabilities, contextWindowTokens } = member.facts;
  const needs = member.chain.needsOf(sentInput as ChainRequest);
  if (needs.refusal !== null) return needs.refusal;
  const lacks = needs.capabilities.find((need) => !capabilities.includes(need));
  if (lacks !== undefined) {
    return fault(CODE_OF_NEED[lacks] ?? "MissingCapability", {
      message: `${model} cannot do what the request needs: ${lacks}`,
      context: { model, expected: lacks, ran: false },
    });
  }
  if (needs.inputTokens <= contextWindowTokens) return null;
  return fault("ContextWindowTooSmall", {
    message: `the request has at least ${needs.inputTokens} tokens; ${model} takes ${contextWindowTokens}`,
    context: { model, limit: contextWindowTokens, ran: false },
  });
}
