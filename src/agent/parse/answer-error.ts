// Errors that CLIs print as if they were the model's answer. Only known formats, anchored where the CLI puts them: a looser match would
// mistake a model's text for a failure.

import type { AgentKind } from "./agent-state.ts";

interface AnswerShape {
  readonly kinds: readonly AgentKind[];
  /** The first group is the error message; without a group, the whole match is. */
  readonly shape: RegExp;
  readonly example: string;
}

/** A notice is short. A long answer that begins like one is the model's text about it. */
const MAX_NOTICE_CHARS = 2_000;

// prettier-ignore
export const ANSWER_SHAPES: readonly AnswerShape[] = [
  { kinds: ["claude"], shape: /^You[’']ve hit your [^\n]{0,40}\blimit\b[^\n]*$/, example: "You've hit your 5-hour limit · resets 9:16pm (UTC)" },
  { kinds: ["claude"], shape: /^Claude AI usage limit reached\|\d{10}$/, example: "Claude AI usage limit reached|1794747600" },
  { kinds: ["claude"], shape: /^[^\n]{0,60} · (?:Please run \/login|Fix external API key|resets [^\n]{1,60})$/, example: "Not logged in · Please run /login" },
  { kinds: ["claude"], shape: /^Credit balance is too low$/, example: "Credit balance is too low" },
  { kinds: ["claude"], shape: /^(?:Failed to authenticate\. )?API Error: [^\n]+/, example: "API Error: 529 Overloaded. This is a server-side issue, usually temporary" },
  { kinds: ["claude"], shape: /^Prompt is too long(?: · [^\n]*)?$/, example: "Prompt is too long" },
  { kinds: ["qwen", "gemini"], shape: /\[(API Error: [^]{1,1900})\](?:\s*|\nPlease wait [^]{0,300})$/, example: "stub says [API Error: terminated (cause: read ECONNRESET)]" },
  { kinds: ["goose"], shape: /^Ran into this error(?: trying to compact)?: ([^]{1,1900}?)\.?\n\nPlease [^]{0,200}$/, example: "Ran into this error: Request failed: Bad request (400): Invalid value: 'foo'..\n\nPlease retry if you think this is a transient or recoverable error." },
  { kinds: ["goose"], shape: /^(Network error: [^]{1,1900}?)\n\nPlease resend your message to try again\.$/, example: "Network error: Could not connect to api.openai.com — check your network connection and try again.\n\nPlease resend your message to try again." },
  { kinds: ["goose"], shape: /^\s*(error: No provider configured\.[^\n]*)$/, example: "  error: No provider configured. Run 'goose configure' first." },
];

/** The error message if the answer is an error, otherwise null. */
export function errorInAnswer(kind: AgentKind, answer: string): string | null {
  // An error after partial text is at the end.
  const end = answer.slice(-MAX_NOTICE_CHARS);
  for (const { kinds, shape } of ANSWER_SHAPES) {
    if (!kinds.includes(kind)) continue;
    const isAnchoredAtStart = shape.source.startsWith("^");
    if (isAnchoredAtStart && answer.length > MAX_NOTICE_CHARS) continue;
    const found = shape.exec(isAnchoredAtStart ? answer.trimEnd() : end);
    if (found !== null) return found[1] ?? found[0];
  }
  return null;
}
