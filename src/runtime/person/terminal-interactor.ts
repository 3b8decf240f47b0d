// Asks the person at the terminal. The prompts come from @clack/prompts, which is loaded with the first question. A dismissed
// prompt is erased from the screen.

import type * as Clack from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { type Locale, LOCALES } from "../../core/fault/words/words.ts";
import { checkOptions, having, oneOf, shape } from "../../options/check-options.ts";
import { type Answer, INTERACTION_KINDS, type Question } from "../../core/flow/interaction.ts";
import { toolAsked } from "../../core/flow/question-title.ts";
import type { Interactor } from "./interactors.ts";
import { fillIn, type FormWords, type PromptOptions, oneLine, promptText } from "./terminal-form.ts";

/** Options of `terminalInteractor`. */
export interface TerminalOptions {
  /** Where keys come from; the process's own input when absent. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Where prompts are drawn; the error output when absent, so that results can be piped. */
  readonly output?: Writable & { readonly isTTY?: boolean };
  /** The language of the prompts. Default: English. */
  readonly locale?: Locale;
}

const TERMINAL_OPTIONS = shape<TerminalOptions>({
  input: having("a readable stream", "read", "on"),
  output: having("a writable stream", "write", "on"),
  locale: oneOf(LOCALES),
});

/**
 * Asks questions in the terminal and waits for the answer. Attach it to a program that a person runs. Without a terminal on both sides it
 * does not answer, and the question waits. Ctrl-C, Ctrl-D and Escape are a no.
 *
 * @example
 * ```ts
 * import { createFaultline, terminalInteractor } from "faultline";
 *
 * const fl = createFaultline({ interactors: [terminalInteractor()] });
 * ```
 */
export function terminalInteractor(options: TerminalOptions = {}): Interactor {
  checkOptions("terminalInteractor", options, TERMINAL_OPTIONS);
  const { input = process.stdin, output = process.stderr, locale = "en" } = options;
  return {
    name: "terminal",
    get kinds() {
      return input.isTTY === true && output.isTTY === true ? INTERACTION_KINDS : [];
    },
    async answer(question, signal) {
      const clack = await import("@clack/prompts");
      const { TerminalScreen } = await import("./terminal-screen.ts");
      signal.throwIfAborted();
      const screen = new TerminalScreen(output);
      const ending = watchForEnd(input, signal, () => screen.wipe());
      try {
        const prompt = { input, output: screen, signal: ending.signal };
        const value = await draw(clack, question, WORDS[locale], prompt);
        signal.throwIfAborted();
        if (ending.isInputGone()) throw new FaultError(INPUT_GONE);
        return clack.isCancel(value) ? CLOSED : { status: "accepted", value };
      } finally {
        ending.stop();
        screen.release();
      }
    },
  };
}

const CLOSED: Answer = { status: "rejected", reason: "the person closed the prompt" };
const INPUT_GONE = fault("HostCapabilityMissing", {
  message: "the terminal was closed before there was an answer; answer from elsewhere, or start again with a terminal",
});

interface TerminalWords extends FormWords {
  readonly tool: string;
  readonly open: string;
  readonly enter: string;
  readonly done: string;
  readonly giveUp: string;
}

const WORDS: Readonly<Record<Locale, TerminalWords>> = {
  "en": {
    yes: "Yes",
    no: "No",
    tool: "Tool: ",
    open: "Open: ",
    enter: "Code: ",
    done: "Done",
    giveUp: "Give up",
    leaveOut: "Leave it out",
    optional: "(optional)",
    needed: "This field is required.",
    wants: { number: "This field takes a number.", json: "This field takes JSON." },
    // The prompts explain their keys in English.
    explainsKeys: true,
  },
  "zh-CN": {
    yes: "是",
    no: "否",
    tool: "工具：",
    open: "打开：",
    enter: "代码：",
    done: "已完成",
    giveUp: "放弃",
    leaveOut: "留空",
    optional: "（可选）",
    needed: "此项必填。",
    wants: { number: "此项须为数字。", json: "此项须为 JSON。" },
    explainsKeys: false,
  },
};

/** The value the person gave, or clack's mark for a prompt that was closed. */
function draw(clack: typeof Clack, question: Question, words: TerminalWords, prompt: PromptOptions): Promise<unknown> {
  const { payload } = question;
  // Clack wraps the text of a choice along its bar, but not that of a field.
  const fieldText = (text: string): string => promptText(text).replaceAll("\n", `\n${clack.S_BAR}  `);
  const yesNo = { ...prompt, active: words.yes, inactive: words.no, initialValue: false };
  switch (payload.kind) {
    case "Ask":
      return fillIn(clack, payload, words, prompt);
    case "Auth.Password":
      return clack.password({ ...prompt, message: fieldText(payload.prompt) });
    case "Confirm":
      // No is where the cursor stands: an Enter that was meant for something else must not agree to anything.
      return clack.confirm({ ...yesNo, message: promptText(payload.prompt) });
    case "Approve": {
      const [message, tool] = [promptText(payload.prompt), oneLine(toolAsked(question))];
      return clack.confirm({
        ...yesNo,
        message: message.includes(tool) ? message : `${message}\n${words.tool}${tool}`,
      });
    }
    case "Select": {
      const options = payload.options.map(({ id, label }) => ({ value: id, label: oneLine(label) || oneLine(id) }));
      const message = promptText(payload.prompt);
      return clack.select({ ...prompt, message, options, showInstructions: words.explainsKeys });
    }
    case "Auth.DeviceCode": {
      const { url, code } = payload;
      const message = `${promptText(payload.prompt)}\n${words.open}${oneLine(url)}\n${words.enter}${oneLine(code)}`;
      return clack.confirm({ ...prompt, message, active: words.done, inactive: words.giveUp, initialValue: true });
    }
  }
}

interface Ending {
  readonly signal: AbortSignal;
  isInputGone(): boolean;
  stop(): void;
}

/** Everything that ends a prompt besides the keys it knows. */
function watchForEnd(input: Readable, dismissed: AbortSignal, wipe: () => void): Ending {
  // A separate controller: clack keeps listening on the signal it is given, and would draw if that fired long after the prompt.
  const ending = new AbortController();
  let isGone = input.destroyed || input.readableEnded;
  // Erase it now, before the code that dismissed it writes to the screen.
  const dismiss = (): void => {
    ending.abort();
    wipe();
  };
  const gone = (): void => {
    isGone = true;
    ending.abort();
  };
  if (isGone) ending.abort();
  dismissed.addEventListener("abort", dismiss);
  input.on("end", gone).on("close", gone).on("keypress", readCtrlDAsCtrlC);
  return {
    signal: ending.signal,
    isInputGone: () => isGone,
    stop() {
      dismissed.removeEventListener("abort", dismiss);
      input.off("end", gone).off("close", gone).off("keypress", readCtrlDAsCtrlC);
    },
  };
}

/** Clack does not know Ctrl-D, but Node's line reader closes itself on it: the prompt would stay up without a keyboard. */
function readCtrlDAsCtrlC(_char: unknown, key: { ctrl?: boolean; name?: string; sequence?: string } | undefined): void {
  if (key?.ctrl === true && key.name === "d") key.sequence = "\u0003";
}
