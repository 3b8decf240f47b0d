// Logs the agents' raw output, including failed attempts, for the file that is kept when a stage fails.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { AgentListeners } from "../../agent/run/agent-request.ts";
import { isFaultError } from "../../core/fault/fault.ts";
import { readField } from "../../core/try-read.ts";
import { ContentTally } from "../../provider/model/tally.ts";

/** The end of a failed run's output is kept separately. */
const MAX_PRINTED_CHARS = 8_388_608;

export class RawLog {
  readonly #write: (text: string) => void;
  #hasLogged = false;
  #printedChars = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  heading(who: string): void {
    this.#hasLogged = true;
    this.#write(`\n### ${who}\n\n`);
  }

  line(text: string): void {
    this.#write(`${text}\n`);
  }

  /** Logs a process's output, which may be long. */
  printed(text: string): void {
    if (this.#printedChars > MAX_PRINTED_CHARS) return;
    this.#printedChars += text.length + 1;
    this.line(this.#printedChars > MAX_PRINTED_CHARS ? "… [cut: the rest of the output is not kept here]" : text);
  }

  section(who: string, text: string): void {
    this.heading(who);
    this.line(text);
  }

  /** Logs the answer. If no target has logged it, it came from the journal. */
  answered(text: string): void {
    if (!this.#hasLogged) this.section("answered before", text);
    this.#hasLogged = false;
  }
}

/** Listeners that log the output of CLI runs, attempt by attempt. */
export function attemptsIn(log: RawLog): AgentListeners {
  return {
    onEvent: (event) => {
      if (event.type === "attempt") log.heading(`${event.target}, attempt ${event.attempt}`);
      else if (event.type === "retrying") log.line(`(retrying on its own: ${event.reason})`);
    },
    onLine: (_stream, line) => log.printed(line),
    onBytes: () => undefined,
    onExit: () => undefined,
    onResult: () => undefined,
  };
}

/** The model, with its answers logged. */
export function loggedModel(inner: LanguageModelV4, who: string, log: RawLog): LanguageModelV4 {
  return new LoggedModel(inner, who, log);
}

class LoggedModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly #inner: LanguageModelV4;
  readonly #who: string;
  readonly #log: RawLog;

  constructor(inner: LanguageModelV4, who: string, log: RawLog) {
    this.#inner = inner;
    this.#who = who;
    this.#log = log;
  }

  get provider(): string {
    return this.#inner.provider;
  }

  get modelId(): string {
    return this.#inner.modelId;
  }

  get supportedUrls(): LanguageModelV4["supportedUrls"] {
    return this.#inner.supportedUrls;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    try {
      const result = await this.#inner.doGenerate(options);
      this.#log.section(this.#who, textIn(result.content));
      return result;
    } catch (error) {
      this.#log.section(this.#who, failureText(error));
      throw error;
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    try {
      const result = await this.#inner.doStream(options);
      return { ...result, stream: ReadableStream.from(this.#logged(result.stream)) };
    } catch (error) {
      this.#log.section(this.#who, failureText(error));
      throw error;
    }
  }

  /** Logs the parts received so far, however the stream ends: completed, cut off or abandoned. */
  async *#logged(parts: ReadableStream<LanguageModelV4StreamPart>): AsyncGenerator<LanguageModelV4StreamPart> {
    const tally = new ContentTally();
    let failure = "";
    let isLogged = false;
    const log = (): void => {
      if (isLogged) return;
      isLogged = true;
      this.#log.section(this.#who, [textIn(tally.content), failure].filter((text) => text !== "").join("\n"));
    };
    try {
      for await (const part of parts) {
        tally.add(part);
        if (part.type === "error") failure = failureText(part.error);
        // Readers stop after the last part, so the log is written now.
        if (part.type === "finish") log();
        yield part;
      }
    } catch (error) {
      failure = failureText(error);
      throw error;
    } finally {
      log();
    }
  }
}

function textIn(content: readonly LanguageModelV4Content[]): string {
  return content
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "tool-call" ? [`${part.toolName} ${part.input}`] : [];
    })
    .join("\n");
}

/** A response body says more than the SDK's message about it. */
function failureText(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  if (isFaultError(error)) return error.fault.message;
  const texts = [readField(error, "responseBody"), readField(error, "message")];
  return texts.find((text): text is string => typeof text === "string" && text !== "") ?? "it failed without a message";
}
