// Text that came from outside is text on every page, whatever it looks like.

import { beforeAll, expect, it } from "vitest";
import { inBrowser, look } from "./browser.ts";
import { shown } from "./page-checks.ts";
import { pagesWorld, type PagesWorld } from "./pages.ts";

const PAYLOADS = [
  `<img src=x onerror="window.hacked=1">`,
  `"><script>window.hacked=1</script>`,
  `<svg/onload=window.hacked=1>`,
  `javascript:window.hacked=1`,
  `<a href="javascript:window.hacked=1">click</a>`,
  "{{constructor.constructor('window.hacked=1')()}}",
] as const;
const ALL = PAYLOADS.join(" ");

/** Every field in which an executor or a person sends text. */
async function poison({ operator }: PagesWorld): Promise<string> {
  const { id } = await operator.reportFailure({
    body: {
      ...{ tool: "poisoned", session: "poisoned", call: "c1" },
      evidence: { status: 503, message: ALL, body: ALL, headers: { "x-note": PAYLOADS[0], "server": PAYLOADS[1] } },
    },
  });
  await operator
    .reportOutcome({ params: { id }, body: { status: "failed", evidence: { message: ALL } } } as never)
    .catch(tolerate);
  await operator.startRun({ body: { workflow: "review-pr", run: "poisoned-run", inputs: { title: ALL } } });
  await operator.startRun({ body: { workflow: "release", run: "poisoned-gate", inputs: { version: ALL } } });
  return id;
}

/** A refusal is as good as text that is never kept. */
function tolerate(error: unknown): void {
  expect(error).toBeInstanceOf(Error);
}

inBrowser("text from outside", () => {
  let world: PagesWorld;
  let paths: readonly string[] = [];
  beforeAll(async () => {
    world = await pagesWorld();
    await poison(world);
    await world.until("poisoned-gate", "asking");
    await world.until("poisoned-run", "failed");
    const groups = (await world.operator.listFaultGroups({})).items.map(
      ({ fingerprint }) => `/groups/${encodeURIComponent(fingerprint)}`,
    );
    const q = encodeURIComponent(ALL);
    paths = [
      ...[
        "/",
        "/runs",
        "/runs/poisoned-run",
        "/runs/poisoned-gate",
        "/questions",
        "/groups",
        ...groups.slice(0, 3),
        "/targets",
      ],
      ...[
        "/sessions",
        "/sessions/poisoned",
        "/audit",
        `/search?q=${q}`,
        `/runs?q=${q}`,
        `/runs?run=${q}`,
        `/lab?q=${q}`,
      ],
    ];
  });

  it("is never markup and never runs", async () => {
    const page = await look(world, "/", { expects: [/status of 4(?:00|04|22)/] });
    for (const path of paths) {
      await page.goto(world.url + path);
      await shown(page);
      for (const tab of await page.getByRole("tab").all()) await tab.click();
      const found = await page.evaluate<readonly unknown[]>(`[window.hacked ?? null,
        document.querySelectorAll('img[src="x"], svg[onload], main script, a[href^="javascript:"]').length]`);
      expect(found, path).toEqual([null, 0]);
    }
  });

  it("is shown as it is, so that people see what was sent", async () => {
    const page = await look(world, "/questions");
    await page.getByText(PAYLOADS[0], { exact: false }).first().waitFor();
  });
});
