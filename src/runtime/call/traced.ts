// Connects a call to its trace: the trace hears each event that the call writes, before anything acts on it.

import type { LearningRedactor } from "../../core/fault/redact.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { Keep } from "../../journal/journal.ts";
import { type Answerer, CallTrace } from "../../telemetry/call-trace.ts";
import { otel } from "../../telemetry/otel.ts";
import type { Recorder } from "../recorder.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { Binding } from "../tool/binding.ts";
import type { CallRequest } from "./request.ts";

/** The call, whose binding changes when another tool or target takes over. */
interface Traced {
  readonly call: string;
  readonly binding: Binding;
}

/** null while the program registers no tracer provider: then tracing costs one check. */
export function tracedRequest(
  run: Traced,
  request: CallRequest,
): { readonly trace: CallTrace; readonly request: CallRequest } | null {
  const found = otel();
  if (found === null) return null;
  const { recorder } = request;
  const trace = new CallTrace(found, () => answererOf(run.binding.tool), run.call, recorder.session);
  return { trace, request: { ...request, recorder: new TracedRecorder(recorder, trace) } };
}

function answererOf({ id, provider, surface, member }: AnyTool): Answerer {
  if (member === null) return { kind: "tool", id, provider, model: "" };
  return { kind: surface === "cli" ? "agent" : "model", id, provider, model: member.facts.model };
}

class TracedRecorder implements Recorder {
  readonly session: string;
  readonly isSession: boolean;
  readonly redactor: LearningRedactor;
  /** A call that is traced writes each of its events. */
  readonly quiet = null;
  readonly #recorder: Recorder;
  readonly #trace: CallTrace;

  constructor(recorder: Recorder, trace: CallTrace) {
    this.session = recorder.session;
    this.isSession = recorder.isSession;
    this.redactor = recorder.redactor;
    this.#recorder = recorder;
    this.#trace = trace;
  }

  record(events: readonly JournalEvent[], keeps: readonly Keep[], at: number): Promise<void> | null {
    for (const event of events) this.#trace.observe(event);
    return this.#recorder.record(events, keeps, at);
  }
}
