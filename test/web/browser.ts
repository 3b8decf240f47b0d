// A person in front of the dashboard: a page in a browser context of its own, signed in, with a language, a theme and a window.
//
// 1. Whatever goes wrong in the page fails the test: errors on the console, uncaught errors, refusals by the content security policy,
//    and requests to anything but the page's own server. A test names the troubles it causes on purpose.
// 2. Nothing sleeps: `page` waits for what it is asked for.
// 3. People who look alike have the same tab, one after the other: a tab that was there before has the scripts compiled already. A tab goes back
//    empty, without a trace of the page that it showed. Two at the same time have two browser contexts, as two browsers do.

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { describe, inject, onTestFinished } from "vitest";

export type Language = "en" | "zh-CN";
export type Theme = "system" | "light" | "dark";
export type Person = "operator" | "viewer";

export interface LookOptions {
  /** Null: not signed in. Default: the operator. */
  readonly as?: Person | null;
  readonly language?: Language;
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Troubles that the test causes on purpose. */
  readonly expects?: readonly RegExp[];
  /** The page's clock can be put forward with `page.clock.fastForward`, instead of waiting for it. */
  readonly hasOwnClock?: boolean;
  /** How much the clock of the browser's machine is ahead of the true time. Such a page has a clock of its own, too. */
  readonly clockAheadMs?: number;
}

/** What a page needs to know of a server. */
export interface Served {
  readonly url: string;
  readonly tokens: Readonly<Record<Person, string>>;
}

const browserAt = inject("browserAt");
/** How long a page may take to show what is waited for, on a machine that is busy with other tests. */
const PATIENCE_MS = 30_000;

/** Tests in a browser. Skipped where there is none; the set-up says so. */
export const inBrowser = describe.skipIf(browserAt === null);

let browser: Promise<Browser> | null = null;
/** Empty tabs, by the look of the people who may have them next. */
const idle = new Map<string, Page[]>();

/** Opens the dashboard at `path`. The page is left, and its troubles are looked at, when the test has finished. */
export async function look(served: Served, path: string, options: LookOptions = {}): Promise<Page> {
  browser ??= chromium.connect(browserAt ?? "");
  const page = takeIdle(options) ?? (await (await newContext(await browser, options)).newPage());
  const { as = "operator", width = WIDTH, height = HEIGHT, expects = [] } = options;
  await page.setViewportSize({ width, height });
  if (as !== null)
    await page.context().addCookies([{ name: "faultline_session", value: served.tokens[as], url: served.url }]);
  const troubles = troublesOf(page, served);
  onTestFinished(async () => {
    await leave(page, options);
    const unexpected = troubles.filter((trouble) => !expects.some((known) => known.test(trouble)));
    if (unexpected.length > 0) throw new Error(`The page had troubles:\n${unexpected.join("\n")}`);
  });
  await page.goto(served.url + path);
  return page;
}

/** Goes to another page as the links of the dashboard do: its scripts are there already. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })`);
}

const [WIDTH, HEIGHT] = [1440, 900];

/** Null: nobody else may have the tab, because its clock is not the true one. */
function keyOf({ as = "operator", language = "en", theme = "light", ...options }: LookOptions): string | null {
  return hasClock(options) ? null : JSON.stringify([as, language, theme]);
}

function takeIdle(options: LookOptions): Page | null {
  return idle.get(keyOf(options) ?? "")?.pop() ?? null;
}

async function leave(page: Page, options: LookOptions): Promise<void> {
  const key = keyOf(options);
  if (key === null || page.isClosed()) return page.context().close();
  for (const event of HEARD) page.removeAllListeners(event);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await page.unrouteAll();
  await page.goto("about:blank");
  await page.emulateMedia({ colorScheme: schemeOf(options) });
  await page.context().clearCookies();
  idle.set(key, [...(idle.get(key) ?? []), page]);
}

/** What this file and the tests listen to. */
const HEARD = ["console", "pageerror", "request", "requestfinished", "dialog"] as const;

function hasClock({ hasOwnClock = false, clockAheadMs = 0 }: LookOptions): boolean {
  return hasOwnClock || clockAheadMs !== 0;
}

function schemeOf({ theme }: LookOptions): "light" | "dark" {
  return theme === "dark" ? "dark" : "light";
}

async function newContext(at: Browser, options: LookOptions): Promise<BrowserContext> {
  const { language = "en", theme = "light" } = options;
  const context = await at.newContext({
    ...{ reducedMotion: "reduce", colorScheme: schemeOf(options), locale: language },
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (hasClock(options)) await context.clock.install({ time: Date.now() + (options.clockAheadMs ?? 0) });
  const preferences = JSON.stringify(JSON.stringify({ language, theme }));
  // Kept as the page keeps them; a test may change them in the page.
  await context.addInitScript(`if (location.protocol === "http:") localStorage["faultline.preferences"] ??= ${preferences};
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error("Refused by the content security policy: " + event.violatedDirective + " " + event.blockedURI));`);
  return context;
}

function troublesOf(page: Page, { url }: Served): readonly string[] {
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      troubles.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== url) troubles.push(`request to another origin: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return troubles;
}
