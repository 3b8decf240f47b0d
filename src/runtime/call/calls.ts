// `protect` and `call`, the same outside sessions, in a session and in a turn. They take a tool or a chain with its input, or a plain
// function with its options. `protect` returns an outcome; `call` returns the value, or throws.

import { defined } from "../../core/defined.ts";
import { classify } from "../../core/classify/classify.ts";
import { anyNumber, optionsFault, shape, signal as signalKind } from "../../options/check-options.ts";
import type { Fault } from "../../core/fault/fault.ts";
import {
  type AnyTool,
  type Chain,
  declared,
  headOf,
  type PartialOutput,
  type RunContext,
  type Tool,
  TOOL_BASE,
  type ToolBase,
} from "../tool/tool.ts";
import { errorOf, hasValue, type Outcome } from "./outcome.ts";

/** Options of one call, wherever it is made. */
export interface SharedCallOptions<Output = unknown> {
  /** Cancels the call, whatever it is doing. */
  readonly signal?: AbortSignal;
  /** The program can do without the value: a failure becomes `skipped`. Default: false. */
  readonly optional?: boolean;
  /** The value to use when the call fails. */
  readonly default?: Output;
}

/** A plain function as work to protect. The context has the signal and the number of the attempt. */
export type Work<Output> = (
  context: RunContext,
) => Output | PartialOutput<Output> | Promise<Output | PartialOutput<Output>>;

/** Options of a plain function to protect: those of a tool, of which only `id` is required. Functions with the same id share a breaker. */
export interface WorkOptions<Output = unknown> extends ToolBase<null, Output> {
  /** Cancels the call, whatever it is doing. */
  readonly signal?: AbortSignal;
}

/** What can be called, and how. `More` are the options that only this place has. */
export interface Calling<More> {
  /**
   * Runs a tool, a chain of targets or a function under its policy (retries, time limits, breaker, fallbacks) and returns how it ended.
   * It never rejects because the work fails. Use it where you handle each ending yourself, and `call` where you want a value or an exception.
   *
   * @example
   * ```ts
   * import { createFaultline, hasValue } from "faultline";
   *
   * const outcome = await createFaultline().protect(() => Promise.resolve(42), { id: "answer", idempotent: true });
   * console.log(hasValue(outcome) ? outcome.value : outcome.status);
   * ```
   */
  protect<Accepts, Output>(
    tool: Tool<Accepts, Output> | Chain<Accepts, Output>,
    input: Accepts,
    options?: SharedCallOptions<Output> & More,
  ): Promise<Outcome<Output>>;
  protect<Output>(run: Work<Output>, options: WorkOptions<Output> & Omit<More, "id">): Promise<Outcome<Output>>;
  /**
   * Runs a tool, a chain of targets or a function under its policy and returns the value; throws a `FaultError` when there is none.
   * Use it in place of a plain call. A default and a part of the value count as values. A call that its signal cancelled throws the
   * signal's reason. A function must throw for a failure: `fetch` does not throw for a 503, so check `response.ok`.
   *
   * @example
   * ```ts
   * import { createFaultline } from "faultline";
   *
   * const fl = createFaultline();
   * const load = async (url: string) => {
   *   const response = await fl.call(({ signal }) => ok(fetch(url, { signal })), { id: "rates", idempotent: true });
   *   return response.text();
   * };
   * const ok = async (answer: Promise<Response>) => {
   *   const response = await answer;
   *   if (!response.ok) throw response;
   *   return response;
   * };
   * console.log(typeof load);
   * ```
   */
  call<Accepts, Output>(
    tool: Tool<Accepts, Output> | Chain<Accepts, Output>,
    input: Accepts,
    options?: SharedCallOptions<Output> & More,
  ): Promise<Output>;
  call<Output>(run: Work<Output>, options: WorkOptions<Output> & Omit<More, "id">): Promise<Output>;
}

type Given = AnyTool | Chain<never, unknown> | Work<unknown>;
type AnyCallOptions = SharedCallOptions & { readonly deadlineMs?: number };

const WORK_OPTIONS = shape<WorkOptions & AnyCallOptions>({ ...TOOL_BASE, signal: signalKind, deadlineMs: anyNumber });

export abstract class Calls<More extends object> implements Calling<More> {
  /** Runs a tool. */
  protected abstract perform(
    tool: AnyTool,
    input: unknown,
    options: (SharedCallOptions & More) | undefined,
  ): Promise<Outcome<unknown>>;
  /** The outcome of a call that cannot be made. */
  protected abstract refuse(why: Fault): Outcome<unknown>;

  protect<Accepts, Output>(
    tool: Tool<Accepts, Output> | Chain<Accepts, Output>,
    input: Accepts,
    options?: SharedCallOptions<Output> & More,
  ): Promise<Outcome<Output>>;
  protect<Output>(run: Work<Output>, options: WorkOptions<Output> & Omit<More, "id">): Promise<Outcome<Output>>;
  protect(given: Given, input: unknown, options?: SharedCallOptions & More): Promise<Outcome<unknown>> {
    return typeof given === "function" ? this.#work(given, input) : this.perform(headOf(given), input, options);
  }

  call<Accepts, Output>(
    tool: Tool<Accepts, Output> | Chain<Accepts, Output>,
    input: Accepts,
    options?: SharedCallOptions<Output> & More,
  ): Promise<Output>;
  call<Output>(run: Work<Output>, options: WorkOptions<Output> & Omit<More, "id">): Promise<Output>;
  async call(given: Given, input: unknown, options?: SharedCallOptions & More): Promise<unknown> {
    const outcome = await this.protect(given as AnyTool, input as never, options);
    if (hasValue(outcome)) return outcome.value;
    const { signal } = ((typeof given === "function" ? input : options) ?? {}) as SharedCallOptions;
    throw errorOf(outcome, signal, { cause: true });
  }

  async #work(run: Work<unknown>, given: unknown): Promise<Outcome<unknown>> {
    const options = (given ?? {}) as WorkOptions & AnyCallOptions;
    const wrong = optionsFault("the options of the function", options, WORK_OPTIONS);
    if (wrong !== null) return this.refuse(wrong);
    const { signal, deadlineMs, ...own } = options;
    const more = defined({ signal, deadlineMs });
    try {
      const tool = declared({ ...own, run: (_input: null, context: RunContext) => run(context) });
      return await this.perform(tool, null, more as SharedCallOptions & More);
    } catch (error) {
      return this.refuse(classify({ surface: "node", error }));
    }
  }
}
