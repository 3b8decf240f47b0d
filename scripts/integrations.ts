// `npm run test:integrations`: runs the examples that need packages of other projects, against the chaos provider, without a key. The packages
// are large, so they are installed on first use, into a folder of their own, and not with the repository. `-- langchain` runs one.

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  copyFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisedBy } from "../test/support/example.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = join(root, "examples", "integrations");
/** Not below `node_modules`: Node does not run TypeScript there. */
const folder = join(tmpdir(), "faultline-integrations");

const PACKAGES = {
  "@anthropic-ai/claude-agent-sdk": "0.3.326",
  "@langchain/anthropic": "1.5.11",
  "@langchain/core": "1.2.13",
  "@langchain/openai": "1.5.8",
  "@mastra/core": "1.71.0",
  "@openai/agents": "0.20.0",
};
const { devDependencies, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
  "devDependencies" | "dependencies",
  Record<string, string>
>;
const ours = ["@ai-sdk/anthropic", "@ai-sdk/openai", "ai", "openai", "zod"].map((name) => [
  name,
  devDependencies[name] ?? dependencies[name],
]);
const manifest = JSON.stringify({
  type: "module",
  private: true,
  dependencies: { ...PACKAGES, ...(Object.fromEntries(ours) as Record<string, string>) },
});

install();
const wanted = process.argv.slice(2);
const names = readdirSync(examples).filter((name) => wanted.length === 0 || wanted.some((one) => name.startsWith(one)));
const failed = names.filter((name) => !runs(name));
process.exitCode = failed.length === 0 ? 0 : 1;

function install(): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "package.json");
  if (!existsSync(file) || readFileSync(file, "utf8") !== manifest) {
    console.log("installing the packages of the integrations…");
    rmSync(join(folder, "node_modules"), { recursive: true, force: true });
    const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` };
    writeFileSync(file, manifest);
    try {
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
        cwd: folder,
        env,
        stdio: "inherit",
      });
    } catch (error) {
      rmSync(file);
      throw error;
    }
  }
  const link = join(folder, "node_modules", "faultline");
  rmSync(link, { recursive: true, force: true });
  symlinkSync(root, link);
}

/** The example runs where its packages are. */
function runs(name: string): boolean {
  const copy = join(folder, name);
  copyFileSync(join(examples, name), copy);
  const { stdout, stderr } = spawnSync(process.execPath, [copy], { cwd: folder, encoding: "utf8", timeout: 180_000 });
  const promised = promisedBy(readFileSync(copy, "utf8"));
  const isRight = promised.length >= 2 && stdout.trim() === promised.join("\n");
  console.log(`${isRight ? "✓" : "✗"} ${name}`);
  if (!isRight) console.log(`promised:\n${promised.join("\n")}\nprinted:\n${stdout}${stderr}`);
  return isRight;
}
