// What a script can tell from the exit code. `docs/CLI.md` shows this table; a test holds the two equal.

export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "failed; the message says why" },
  usage: { code: 2, meaning: "wrong call: unknown command, option or value, or a file that cannot be read" },
  config: {
    code: 3,
    meaning:
      "a file is not what it should be: errors in a policy, a tool manifest or a workflow, a workflow that is not what its run was started with, or a journal that cannot be trusted",
  },
  waiting: { code: 4, meaning: "`run`, `workflow`, `runs`: waits for a person; the last line says how to answer" },
  parked: { code: 5, meaning: "`run`, `workflow`, `runs`: put off until a limit lifts; the last line says until when" },
  partial: { code: 6, meaning: "done in part: some input lines were unusable, the others were answered" },
  timeout: { code: 124, meaning: "`run`: the command took longer than it may" },
  missing: { code: 127, meaning: "`run`: the command is not there" },
  cancelled: {
    code: 130,
    meaning:
      "cancelled: by Ctrl-C or another signal (`run`: the command was stopped; a run of a workflow is left as it is), or the run was cancelled",
  },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;
