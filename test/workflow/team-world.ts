// The team's template at work, in this process: a real repository in a temporary folder, real tools and tests as processes, real
// SDKs against the fault-injecting provider, a real journal. Only the waits between attempts are shortened.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import type { ChaosStep } from "../../src/chaos/scenario-schema.ts";
import { TEAM_FILE, templateNamed } from "../../src/cli/init/templates.ts";
import type { Entry } from "../../src/core/record/event.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import type { RunEnd } from "../../src/workflow/runs-api.ts";
import { createWorkflows, type Workflows } from "../../src/workflow/workflows.ts";
import { driven, placeFor } from "../support/test-servers.ts";

export interface TeamWorld {
  readonly workflows: Workflows;
  readonly run: string;
  readonly folder: string;
  /** Until the run is over, or waits for a person. */
  readonly advance: () => Promise<RunEnd>;
  /** What the next requests get, one step each. */
  readonly script: (...steps: readonly ChaosStep[]) => void;
  /** All requests to the models, as text, in order. */
  readonly asked: () => readonly string[];
  readonly entries: () => Promise<readonly Entry[]>;
  /** `coder#1 completed`, in order of their ends. */
  readonly story: () => Promise<readonly string[]>;
  readonly read: (file: string) => string;
}

/** The rows of the template's own policy, with waits of a millisecond. */
const QUICK = `policy:
  preset: headless
  rows:
    - match: { class: ProviderTransient }
      retry: { maxAttempts: 3, backoff: { kind: fixed, initialMs: 1 }, jitter: 0 }
      then: [fallback, surface, fail]
`;

export interface TeamOptions {
  readonly variant?: "clis" | "models";
  readonly env?: Readonly<Record<string, string>>;
}

export async function teamWorld(options: TeamOptions = {}): Promise<TeamWorld> {
  const { variant = "models", env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` } } = options;
  const chaos = await startChaos();
  const folder = mkdtempSync(join(tmpdir(), "faultline-team-"));
  const team = new Map(await filesOf("team", variant));
  const providers: readonly Change[] = [
    ["openai: { api_key_env: OPENAI_API_KEY }", `openai: { base_url: "${chaos.openaiUrl}", api_key_env: NO_KEY }`],
    [
      "anthropic: { api_key_env: ANTHROPIC_API_KEY }",
      `anthropic: { base_url: "${chaos.anthropicUrl}/v1", api_key_env: NO_KEY }`,
    ],
  ];
  const text = replaced(team.get(TEAM_FILE) ?? "", [
    ...(variant === "models" ? providers : []),
    ["policy: { preset: headless }\n", QUICK],
  ]);
  for (const [name, content] of [...(await filesOf("sample-repo", "")), ...team.set(TEAM_FILE, text)]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const workflows = createWorkflows({ journal: await openJournal(placeFor(join(folder, "journal.db"))), env });
  onTestFinished(async () => {
    await workflows.close();
    await chaos.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { workflow, diagnostics } = await workflows.file(join(folder, TEAM_FILE));
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const run = await workflows.runs.start(workflow, { inputs: { task: "Make the shares add up." } });
  const entries = async (): Promise<readonly Entry[]> => {
    const all: Entry[] = [];
    for await (const entry of workflows.journal.read(run)) all.push(entry);
    return all;
  };
  return {
    workflows,
    run,
    folder,
    advance: () => driven(() => workflows.runs.advance(run)),
    script: (...steps) => chaos.script([...steps]),
    asked: () => chaos.received().map(({ body }) => JSON.stringify(body)),
    entries,
    story: async () =>
      (await entries()).flatMap(({ event }) => {
        const how = ENDINGS[event.type];
        return how !== undefined && "node" in event && "execution" in event
          ? [`${event.node}#${event.execution} ${how}`]
          : [];
      }),
    read: (file) => readFileSync(join(folder, file), "utf8"),
  };
}

const ENDINGS: Readonly<Record<string, string>> = {
  "node-completed": "completed",
  "node-failed": "failed",
  "node-skipped": "skipped",
};

async function filesOf(template: string, variant: string): Promise<ReadonlyMap<string, string>> {
  return (await templateNamed(template)?.files(variant)) ?? new Map<string, string>();
}

type Change = readonly [from: string, to: string];

function replaced(text: string, all: readonly Change[]): string {
  return all.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the template has no ${from}`);
    return changed.replace(from, () => to);
  }, text);
}

/** Three agents that talk, in plain text. */
export const DISCUSSION: readonly ChaosStep[] = [
  { answer: "Spread what is left over." },
  { answer: "Mind nobody at the table." },
  { answer: "Run node --test." },
];

export const APPROVE = { json: { decision: "approve", must_fix: [], nice_to_have: [], tests: ["sums"], security: [] } };
export const TESTS = { json: { test_plan: "Run them.", commands: ["node --test"], expected_results: ["all pass"] } };
export const CODED: readonly ChaosStep[] = [{ answer: "It is done." }];

export const changes = (...mustFix: readonly string[]): ChaosStep => ({
  json: { ...APPROVE.json, decision: "changes_requested", must_fix: mustFix },
});

export const tests = (...commands: readonly string[]): ChaosStep => ({ json: { ...TESTS.json, commands } });

/** A coder that writes this line into the body of split(). */
export const writes = (condition: string): readonly ChaosStep[] => [
  {
    call: {
      tool: "write_file",
      input: {
        path: "src/split.js",
        content: `export function split(totalCents, people) {
  const share = Math.floor(totalCents / people);
  const rest = totalCents - share * people;
  return Array.from({ length: people }, (_, index) => (${condition} ? share + 1 : share));
}
`,
      },
    },
  },
  { answer: `Now with ${condition}.` },
];

/** No target answers any more. */
export const DOWN: readonly ChaosStep[] = Array.from({ length: 12 }, () => "reset" as const);
