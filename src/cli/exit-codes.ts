// What a script can tell from the exit code. `docs/CLI.md` shows this table; a test holds the two equal.

export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "failed; the message says why" },
  usage: { code: 2, meaning: "wrong call: unknown command, option or value, or a file that cannot be read" },
  config: {
    code: 3,
    meaning:
      "a file is not what it should be: errors in a policy or a tool manifest, or a journal that cannot be trusted",
  },
  partial: { code: 6, meaning: "done in part: some input lines were unusable, the others were answered" },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;
