// The documented arguments that make each CLI answer one prompt as JSON and exit. The code that runs the CLI adds the caller's settings.

import type { AgentKind } from "../parse/agent-state.ts";

export interface OneShot {
  /** Null if the prompt is passed on stdin. */
  readonly prompt: string | null;
  readonly model: string | null;
  /** The session to resume. */
  readonly resume: string | null;
}

export type OneShotArgs = (shot: OneShot) => readonly string[];

export const ONE_SHOT: Readonly<Record<AgentKind, OneShotArgs>> = {
  claude: ({ prompt, model, resume }) => [
    "-p",
    // The CLI rejects stream-json without it.
    "--verbose",
    "--output-format",
    "stream-json",
    ...option("--model", model),
    ...option("--resume", resume),
    ...asArgument(prompt),
  ],
  codex: ({ prompt, model, resume }) => [
    "exec",
    ...(resume === null ? [] : ["resume", resume]),
    "--json",
    "--skip-git-repo-check",
    ...option("-m", model),
    // A lone dash makes it read stdin.
    ...(prompt === null ? ["-"] : asArgument(prompt)),
  ],
  gemini: ({ prompt, model, resume }) => [
    "-o",
    "stream-json",
    "--skip-trust",
    ...option("-m", model),
    ...option("-r", resume),
    ...(prompt === null ? [] : ["-p", ...asArgument(prompt)]),
  ],
  opencode: ({ prompt, model, resume }) => [
    "run",
    "--format",
    "json",
    ...option("-m", model),
    ...option("--session", resume),
    ...asArgument(prompt),
  ],
  qwen: ({ prompt, model, resume }) => [
    "-o",
    "stream-json",
    ...option("-m", model),
    ...option("--resume", resume),
    ...asArgument(prompt),
  ],
  goose: ({ prompt, model }) => [
    "run",
    "--no-session",
    "-q",
    "--output-format",
    "stream-json",
    ...option("--model", model),
    ...(prompt === null ? ["-i", "-"] : ["-t", ...asArgument(prompt)]),
  ],
  generic: ({ prompt }) => asArgument(prompt),
};

function option(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [name, value];
}

/** A prompt that begins with a dash would be parsed as an option. A leading space changes nothing for the model. */
function asArgument(prompt: string | null): readonly string[] {
  if (prompt === null) return [];
  return [prompt.startsWith("-") ? ` ${prompt}` : prompt];
}
