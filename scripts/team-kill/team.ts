// The team of the demo in its own folder: the template, a repository with a bug, and the models of `faultline start`, without the
// waits that are only for show.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MARK } from "./life.ts";
import type { Chaos } from "../../src/chaos/start-chaos.ts";
import type { ChaosStep } from "../../src/chaos/scenario-schema.ts";
import { DEMO_TASK, DISCUSSION_STEPS, IMPLEMENTATION_STEPS } from "../../src/cli/demo/demo-story.ts";
import { TEAM_FILE, templateNamed } from "../../src/cli/init/templates.ts";
import { writeFiles } from "../../src/cli/init/write-files.ts";

export const TEAM_INPUTS = { task: DEMO_TASK };

const CHECK_FILE = "check.mjs";
const CHECK_COMMAND = `node ${CHECK_FILE}`;

/** One for each request, in order. */
export const TEAM_STEPS: readonly ChaosStep[] = [...DISCUSSION_STEPS, ...IMPLEMENTATION_STEPS].flatMap(withoutWaits);

function withoutWaits(step: ChaosStep): readonly ChaosStep[] {
  if (typeof step === "string") return [step];
  if (step.fault === "slow-first-token") return [];
  if (isTestPlan(step.json)) return [{ ...step, json: { ...step.json, commands: [CHECK_COMMAND] } }];
  return ["retry-after" in step ? { ...step, "retry-after": 0 } : step];
}

function isTestPlan(json: unknown): json is { readonly commands: readonly string[] } {
  return typeof json === "object" && json !== null && "commands" in json;
}

/** Beside the repository: the tests have hung once, or hang now. */
const HAS_HUNG = "../has-hung";

/** The same, in the folder of a story. */
export const hangMark = (folder: string): string => join(folder, "repository", HAS_HUNG);

/** Tests with the same output each time. Durations would end up in prompts and change their cost. They hang once, silently, unless they did. */
const CHECK = `// Written for the kills: the tests of this repository, reported without times.

import { existsSync, writeFileSync } from "node:fs";
import { split } from "./src/split.js";

if (!existsSync("${HAS_HUNG}")) {
  writeFileSync("${HAS_HUNG}", "");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

const failed = [[900, 3], [999, 1], [1000, 3], [1001, 4], [5, 7]].filter(([totalCents, people]) => {
  const shares = split(totalCents, people);
  const sum = shares.reduce((all, share) => all + share, 0);
  return sum !== totalCents || Math.max(...shares) - Math.min(...shares) > 1;
});
for (const [totalCents, people] of failed) console.log(\`\${totalCents} among \${people} is wrong\`);
process.exitCode = failed.length > 0 ? 1 : 0;
`;

export interface TeamFolder {
  readonly repository: string;
  readonly workflowFile: string;
}

export interface TeamChanges {
  /** Rewrites the text of the workflow. */
  readonly change?: (text: string) => string;
  /** The tests hang at their first run. */
  readonly hangs?: boolean;
}

/** Read once, because the template may change while the campaign runs. */
export async function readTeam(): Promise<TeamFiles> {
  return new Map([...(await filesOf("sample-repo", "")), ...(await filesOf("team", "models")), [CHECK_FILE, CHECK]]);
}

export type TeamFiles = ReadonlyMap<string, string>;

export async function makeTeamFolder(
  folder: string,
  team: TeamFiles,
  chaos: Pick<Chaos, "openaiUrl" | "anthropicUrl">,
  { change = (text) => text, hangs = false }: TeamChanges = {},
): Promise<TeamFolder> {
  const repository = join(folder, "repository");
  await mkdir(repository, { recursive: true });
  const files = new Map(team);
  files.set(TEAM_FILE, change(atChaos(files.get(TEAM_FILE) ?? "", chaos)));
  await writeFiles(repository, files, [], { force: false });
  if (!hangs) await writeFile(join(repository, HAS_HUNG), "");
  return { repository, workflowFile: join(repository, TEAM_FILE) };
}

async function filesOf(template: string, variant: string): Promise<ReadonlyMap<string, string>> {
  return (await templateNamed(template)?.files(variant)) ?? new Map<string, string>();
}

/** This key is never set, and the server needs none. */
const NO_KEY = "FAULTLINE_DEMO_KEY";

function atChaos(text: string, { openaiUrl, anthropicUrl }: Pick<Chaos, "openaiUrl" | "anthropicUrl">): string {
  const changes: readonly (readonly [string, string])[] = [
    ["openai: { api_key_env: OPENAI_API_KEY }", `openai: { base_url: "${openaiUrl}", api_key_env: ${NO_KEY} }`],
    [
      "anthropic: { api_key_env: ANTHROPIC_API_KEY }",
      `anthropic: { base_url: "${anthropicUrl}/v1", api_key_env: ${NO_KEY} }`,
    ],
    // Processes of a run get a small environment: the variable that marks them has to be listed.
    ["\nfaultline: 1\n", `\nfaultline: 1\nenv: [${MARK}]\n`],
    ['allow: ["npm test *"', `allow: ["${CHECK_COMMAND}", "npm test *"`],
  ];
  return changes.reduce((changed, [from, to]) => replaced(changed, from, to), text);
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the team's workflow has no ${JSON.stringify(from)} any more`);
  return text.replaceAll(from, () => to);
}
