// The folder of one demo: a repository with a bug, the team that fixes it, and a tool that hangs once.

import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fault, FaultError } from "../../core/index.ts";
import { TEAM_FILE, templateNamed, templateText } from "../init/templates.ts";
import { writeFiles } from "../init/write-files.ts";

export interface DemoFolder {
  readonly folder: string;
  /** The repository, which the team changes. */
  readonly repository: string;
  /** The repository's files before the run. */
  readonly before: ReadonlyMap<string, string>;
  readonly workflowFile: string;
  /** A workflow that fails at its first run. */
  readonly publishFile: string;
  readonly journal: string;
  readonly diff: string;
}

export interface ProviderUrls {
  readonly openaiUrl: string;
  readonly anthropicUrl: string;
}

/** Creates it in the system's temporary folder and leaves it there for inspection. */
export async function makeDemoFolder(urls: ProviderUrls): Promise<DemoFolder> {
  const folder = await mkdtemp(join(tmpdir(), "faultline-demo-"));
  const repository = join(folder, "repository");
  await mkdir(repository);
  const before = await filesOf("sample-repo", "");
  const team = new Map(await filesOf("team", "models"));
  team.set(TEAM_FILE, demoWorkflow(team.get(TEAM_FILE) ?? "", urls));
  team.set(HANGING_TOOL, await templateText("team/demo/hangs-once.mjs"));
  await writeFiles(repository, new Map([...before, ...team]), [], { force: false });
  const pages = join(folder, "pages");
  await mkdir(pages);
  const site = PAGES_FILES.map(async (name) => [name, await templateText(`team/demo/${name}`)] as const);
  await writeFiles(pages, new Map(await Promise.all(site)), [], { force: false });
  return {
    folder,
    repository,
    before,
    workflowFile: join(repository, TEAM_FILE),
    publishFile: join(pages, PUBLISH_FILE),
    journal: join(folder, "journal.db"),
    diff: join(folder, "changes.diff"),
  };
}

async function filesOf(template: string, variant: string): Promise<ReadonlyMap<string, string>> {
  return (await templateNamed(template)?.files(variant)) ?? new Map<string, string>();
}

const PUBLISH_FILE = "publish-pages.faultline.yaml";
const PAGES_FILES = [PUBLISH_FILE, "upload.mjs"] as const;
const HANGING_TOOL = "team/tools/hangs-once.mjs";

/** Adapts the template: the demo's model URLs, no API key, and the tool that hangs. */
function demoWorkflow(text: string, { openaiUrl, anthropicUrl }: ProviderUrls): string {
  const changes: readonly (readonly [string, string])[] = [
    ["openai: { api_key_env: OPENAI_API_KEY }", `openai: { base_url: "${openaiUrl}", api_key_env: ${NO_KEY} }`],
    [
      "anthropic: { api_key_env: ANTHROPIC_API_KEY }",
      `anthropic: { base_url: "${anthropicUrl}/v1", api_key_env: ${NO_KEY} }`,
    ],
    [
      "command: [node, team/tools/files.mjs, read]\n",
      `command: [node, ${HANGING_TOOL}, read] #          hangs once, for the demo\n`,
    ],
    ["timeout: 10s", "timeout: 2s"],
  ];
  return changes.reduce((changed, [from, to]) => {
    if (changed.includes(from)) return changed.replaceAll(from, () => to);
    throw new FaultError(
      fault("InvariantBroken", { message: `the team's template no longer contains ${JSON.stringify(from)}` }),
    );
  }, text);
}

/** An unset variable: the demo's server needs no key, and a real key is never sent to it. */
const NO_KEY = "FAULTLINE_DEMO_KEY";
