// The output of a failed run, for debugging: the end of each stream as a page, and the events line by line.

import type { Fault } from "../../core/fault/fault.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { AgentEvent } from "../event/agent-event.ts";
import type { ProcessEnd } from "../process/process-spec.ts";

/** A long run has more events than a person would read, so only the first and the last are kept. */
const FIRST_EVENTS = 500;
const LAST_EVENTS = 1_500;
/** Longer strings in an event are cut. Together with the number of events, this bounds the memory. */
const MAX_FIELD_CHARS = 4_096;

export class RawOutput {
  readonly #command: string;
  readonly #first: AgentEvent[] = [];
  readonly #last: AgentEvent[] = [];
  /** How many events in the middle are left out. */
  #leftOut = 0;

  constructor(command: string) {
    this.#command = command;
  }

  event(given: AgentEvent): void {
    const event = shortened(given);
    if (this.#first.length < FIRST_EVENTS) {
      this.#first.push(event);
      return;
    }
    this.#last.push(event);
    if (this.#last.length <= LAST_EVENTS) return;
    this.#last.shift();
    this.#leftOut += 1;
  }

  /** Attaches the files to the attempt. The runtime redacts and truncates them and stores them next to the journal. */
  put(end: ProcessEnd, failed: Fault, { artefact, attempt }: RunContext): void {
    artefact(`attempt-${attempt}_raw.md`, this.#page(end, failed));
    artefact(`attempt-${attempt}.events.jsonl`, this.#lines());
  }

  #page({ exitCode, signal, durationMs, stdoutTail, stderrTail }: ProcessEnd, { code, message }: Fault): string {
    const how = signal === null ? `exit code ${exitCode ?? "none"}` : `signal ${signal}`;
    const block = (text: string): string => `\`\`\`\`\n${text}\n\`\`\`\`\n`;
    return [
      `# ${this.#command}: ${code}\n`,
      `${message}\n`,
      `Ended with ${how} after ${durationMs} ms.\n`,
      `## stdout, its end\n`,
      block(stdoutTail),
      `## stderr, its end\n`,
      block(stderrTail),
    ].join("\n");
  }

  #lines(): string {
    const gap = this.#leftOut === 0 ? [] : [{ type: "left-out", events: this.#leftOut }];
    return [...this.#first, ...gap, ...this.#last].map((event) => `${JSON.stringify(event)}\n`).join("");
  }
}

function shortened(event: AgentEvent): AgentEvent {
  let short: Record<string, unknown> | null = null;
  for (const [field, value] of Object.entries(event)) {
    if (typeof value !== "string" || value.length <= MAX_FIELD_CHARS) continue;
    short ??= { ...event };
    short[field] = cutCopy(value);
  }
  return short === null ? event : (short as unknown as AgentEvent);
}

/** Copies the text, because a slice would keep the whole long string in memory. */
function cutCopy(text: string): string {
  const kept = Buffer.from(text.slice(0, MAX_FIELD_CHARS), "utf16le").toString("utf16le");
  return `${kept}… [cut: ${text.length} characters, ${MAX_FIELD_CHARS} kept]`;
}
