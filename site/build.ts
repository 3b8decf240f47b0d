// `npm run site` builds the documentation site into site/dist and checks its links; `npm run site:dev` serves it while you write.
// `-- --no-api` leaves out the pages of the API, which take longest.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brokenLinks } from "./links.ts";
import { referencePages } from "./reference-pages.ts";
import { sitePage, withoutComments, withReadmeSections } from "./repository-page.ts";
import { placeOf } from "./rooms.ts";
import { sidebarOf } from "./sidebar.ts";

const site = fileURLToPath(new URL(".", import.meta.url));
const root = join(site, "..");
const pages = join(site, ".pages");
const has = (flag: string): boolean => process.argv.includes(flag);

if (!existsSync(join(site, "node_modules", "vitepress"))) run("npm", ["ci", "--prefix", site]);
gather();
if (!has("--no-api")) describeApi();
writeFileSync(join(pages, "sidebar.json"), JSON.stringify(sidebarOf(pages), null, 2));
const vitepress = join(site, "node_modules", "vitepress", "bin", "vitepress.js");
run(process.execPath, [vitepress, has("--dev") ? "dev" : "build", site]);
if (!has("--dev")) report();

/** One folder with all pages: written for the site, written for the repository, and made from code. */
function gather(): void {
  rmSync(pages, { recursive: true, force: true });
  cpSync(join(site, "pages", "public"), join(pages, "public"), { recursive: true });
  for (const name of filesIn(join(site, "pages")).filter((one) => one.endsWith(".md"))) {
    const text = readFileSync(join(site, "pages", name), "utf8");
    write(name, withoutComments(withReadmeSections(name, text)));
  }
  for (const name of filesIn(join(root, "docs"))) {
    const place = placeOf(name);
    const read = (): Buffer => readFileSync(join(root, "docs", name));
    if (name.endsWith(".md")) write(place, sitePage(`docs/${name}`, place, read().toString()));
    else if (/\.(?:png|svg)$/.test(name)) write(place, read());
    // Downloads keep their name.
    else if (name.endsWith(".json")) write(`public/${place}`, read());
  }
  const changes = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  write("changelog.md", sitePage("CHANGELOG.md", "changelog.md", changes));
  for (const [path, text] of referencePages()) write(path, text);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
}

function write(path: string, content: string | Buffer): void {
  const target = join(pages, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** TypeDoc needs a compiler with an interface for programs, which the repository's own does not have. */
function describeApi(): void {
  const doors = [
    "index",
    "core/index",
    "workflow/index",
    "mcp/index",
    "testing/index",
    "client/index",
    "telemetry/index",
  ];
  const flags = ["--plugin", "typedoc-plugin-markdown", "--out", join(pages, "reference", "api"), "--readme", "none"];
  const quiet = [
    "--skipErrorChecking",
    "--hideBreadcrumbs",
    "--hidePageHeader",
    "--logLevel",
    "Error",
    "--entryFileName",
    "index",
  ];
  const typedoc = join(site, "node_modules", "typedoc", "bin", "typedoc");
  const entries = doors.map((door) => join(root, "src", `${door}.ts`));
  run(process.execPath, [typedoc, ...flags, ...quiet, "--tsconfig", join(root, "tsconfig.build.json"), ...entries]);
}

function report(): void {
  const broken = brokenLinks(join(site, "dist"));
  for (const line of broken) process.stderr.write(`broken link: ${line}\n`);
  if (broken.length > 0) process.exit(1);
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { cwd: site, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
