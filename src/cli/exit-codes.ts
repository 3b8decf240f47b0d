// The exit codes scripts can rely on. `docs/CLI.md` shows this table; a test compares the two.

export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "failed; the message says why" },
  usage: { code: 2, meaning: "wrong usage: an unknown command, option or value, or an unreadable file" },
  config: {
    code: 3,
    meaning:
      "a bad file: errors in a policy, tool manifest, workflow or project file, a workflow that changed since its run started, or a damaged journal",
  },
  waiting: { code: 4, meaning: "`run`, `workflow`, `runs`: waits for a person; the last line says how to answer" },
  parked: { code: 5, meaning: "`run`, `workflow`, `runs`: parked until a limit lifts; the last line says until when" },
  partial: {
    code: 6,
    meaning:
      "partly done: some input lines were unusable, the others were answered; or `run --json` cut an answer of more than 16 MB",
  },
  timeout: { code: 124, meaning: "`run`: the command exceeded its time limit" },
  missing: { code: 127, meaning: "`run`: the command does not exist" },
  cancelled: {
    code: 130,
    meaning:
      "cancelled: by Ctrl-C or another signal (`run`: the command was stopped; a workflow run can be resumed), or the run was cancelled",
  },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;
