// A server that is killed under the page: the page says that what it shows is old, keeps its place, and continues when a server is back.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { freePorts } from "../support/free-ports.ts";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

inBrowser("a server that is killed", () => {
  it("leaves the page as it was, marked as stale; the next server continues it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-gone-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [port = 0] = await freePorts(1);
    const first = await serve(folder, port);
    const token = readFileSync(join(folder, "operator.token"), "utf8").trim();
    const served = { url: `http://127.0.0.1:${port}`, tokens: { operator: token, viewer: token } };
    const client = createClient({ baseUrl: served.url, token });
    await client.reportFailure({ body: { tool: "before", evidence: { status: 503 } } });
    const page = await look(served, "/groups?q=zzz", {
      expects: [/ERR_CONNECTION|Failed to fetch|ERR_INCOMPLETE|network/i],
    });
    await page.getByText("Live", { exact: true }).waitFor();
    await shown(page);
    first.kill("SIGKILL");
    await page.getByText("The connection to the server is lost.", { exact: false }).waitFor();
    expect(new URL(page.url()).search).toBe("?q=zzz");
    await serve(folder, port);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("The connection to the server is lost.", { exact: false }).waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?q=zzz");
    await page.goto(`${served.url}/groups`);
    await client.reportFailure({ body: { tool: "after_the_restart", evidence: { status: 503 } } });
    await page.getByRole("row").filter({ hasText: "after_the_restart" }).waitFor();
  });
});

async function serve(folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [MAIN, "serve", "--journal", join(folder, "journal.db"), "--port", String(port)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}
