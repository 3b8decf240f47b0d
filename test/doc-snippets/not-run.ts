// Everything in the snippets that `npm test` does not run as it stands, with the reason. A row that no snippet needs fails the tests.

/** Lines of shell snippets that are left out. */
export const LINES_NOT_RUN: readonly (readonly [line: RegExp, why: string])[] = [
  [/^npm install /, "downloads packages; `npm run test:installs` installs them"],
  [/^git clone <this repository>/, "the address is the reader's"],
  [/^npm start\b/, "sets up this repository, then shows the demo until Ctrl-C; test/cli/demo/ runs the demo"],
  [/^npx faultline demo$/, "shows the demo until Ctrl-C; test/cli/demo/ runs it"],
  [/^docker /, "needs a Docker daemon; test/deploy.test.ts checks the Dockerfile"],
  [/^faultline .*restate:\/\//, "needs a Restate server; test/workflow/restate/ starts one"],
  [/^curl .*:9070\//, "needs a Restate server; test/workflow/restate/runbook.test.ts runs it"],
  [/^npx vitest run /, "test/test-your-agent.test.ts runs it, before and after the fix"],
  [
    /^faultline drill (?:--gateway )?-- /,
    "all faults take minutes; test/cli/drill/ runs it, and the line with --only runs here",
  ],
];

/** Lines that end with an exit code other than 0, and that is what the page is about. */
export const LINES_THAT_FAIL: readonly (readonly [line: RegExp, code: number, why: string])[] = [
  [/workflow run team\.faultline\.yaml/, 4, "the team waits for the reader's decision"],
  [/"model":"overloaded"/, 22, "the model `overloaded` answers with 529"],
  [/init team --with models/, 1, "an alternative to the line before it, whose files are in the way"],
  [/^faultline drill --only /, 1, "the agent of this test does not survive a cut stream"],
];

/**
 * Lines of several pages, in which at most the task differs. They run on the first of these pages, because each takes a second of processor
 * time. The others check only that the file is there which the line is about.
 */
export const LINES_RUN_ONCE: readonly (readonly [line: RegExp, needs: string])[] = [
  [/workflow (?:check|run) team\.faultline\.yaml/, "team.faultline.yaml"],
  [/(?:runs show last|journal copy .*)$/, ".faultline/journal.db"],
];

/** Programs of the system, and how to see whether they are there. A page that needs a missing one is skipped. */
export const SYSTEM_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  curl: ["--version"],
  jq: ["--version"],
  openssl: ["version"],
  python3: ["-c", "import requests"],
  sqlite3: ["--version"],
};

interface Elsewhere {
  readonly page: string;
  readonly language: string;
  /** Only the snippets that are a file of the page. */
  readonly files?: true;
  readonly test: string;
}

/** Snippets that another test runs. */
export const RUN_ELSEWHERE: readonly Elsewhere[] = [
  { page: "docs/LIBRARY.md", language: "ts", test: "test/docs.test.ts" },
  { page: "docs/TEST-YOUR-AGENT.md", language: "ts", files: true, test: "test/test-your-agent.test.ts" },
  { page: "docs/SERVER.md", language: "python", test: "test/server/executors.test.ts" },
  { page: "docs/SERVER.md", language: "bash", test: "test/server/executors.test.ts" },
];
