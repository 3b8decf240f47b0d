// The dashboard's files: a page for every address that is not a file or a route, whatever the name in it looks like.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemChance } from "../../src/host/chance.ts";
import { dashboardPage } from "../../src/server/page.ts";

const folder = mkdtempSync(join(tmpdir(), "faultline-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), "<title>page</title>");
writeFileSync(join(folder, "assets", "app.js"), "app");
const page = dashboardPage(systemChance, folder);

const HTML = "text/html,*/*";

describe("the dashboard's page", () => {
  it.each([
    ["/", HTML, "<title>page</title>"],
    ["/", "*/*", "<title>page</title>"],
    ["/runs/ship-1", "*/*", null],
    ["/runs/ship-1", "TEXT/HTML", "<title>page</title>"],
    ["/runs/ship-1", HTML, "<title>page</title>"],
    ["/runs/release-2.4", HTML, "<title>page</title>"],
    ["/assets/app.js", "*/*", "app"],
    ["/assets/gone.js", HTML, null],
    ["/favicon.ico", "image/*", null],
    ["/v1/runs", HTML, null],
    ["/metrics", HTML, null],
  ])("answers %s for %s", async (path, accept, text) => {
    const answer = page(new Request(`http://127.0.0.1${path}`, { headers: { accept } }));
    expect(answer === null ? null : await answer.text()).toBe(text);
  });
});
