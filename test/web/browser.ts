// A person in front of the dashboard: a page in a browser context of its own, signed in, with a language, a theme and a window.
//
// 1. Whatever goes wrong in the page fails the test: errors on the console, uncaught errors, refusals by the content security policy,
//    and requests to anything but the page's own server. A test names the troubles it causes on purpose.
// 2. Nothing sleeps: `page` waits for what it is asked for.
// 3. People who look alike at the sample world share a context, so that the scripts are loaded and compiled once. Nobody changes that world,
//    and what a page keeps for itself it keeps per tab.

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
const shared = new Map<string, Promise<BrowserContext>>();

/** Opens the dashboard at `path`. The page is closed, and its troubles are looked at, when the test has finished. */
export async function look(served: Served, path: string, options: LookOptions = {}): Promise<Page> {
  browser ??= chromium.connect(browserAt ?? "");
  const isShared = served.url === inject("sampleWorld").url && !hasClock(options);
  const context = await (isShared
    ? sharedContext(await browser, served, options)
    : newContext(await browser, served, options));
  const page = await context.newPage();
  const { width = WIDTH, height = HEIGHT } = options;
  await page.setViewportSize({ width, height });
  const troubles = troublesOf(page, served);
  onTestFinished(async () => {
    await (isShared ? page : context).close();
    const unexpected = troubles.filter((trouble) => !(options.expects ?? []).some((known) => known.test(trouble)));
    if (unexpected.length > 0) throw new Error(`The page had troubles:\n${unexpected.join("\n")}`);
  });
  await page.goto(served.url + path);
  return page;
}

const [WIDTH, HEIGHT] = [1440, 900];

function hasClock({ hasOwnClock = false, clockAheadMs = 0 }: LookOptions): boolean {
  return hasOwnClock || clockAheadMs !== 0;
}

/** Ends with the browser. */
function sharedContext(at: Browser, served: Served, options: LookOptions): Promise<BrowserContext> {
  const { as = "operator", language = "en", theme = "light" } = options;
  const key = JSON.stringify([as, language, theme]);
  const known = shared.get(key) ?? newContext(at, served, options);
  shared.set(key, known);
  return known;
}

async function newContext(
  at: Browser,
  { url, tokens }: Served,
  { as = "operator", language = "en", theme = "light", ...options }: LookOptions,
): Promise<BrowserContext> {
  const context = await at.newContext({
    ...{ reducedMotion: "reduce", colorScheme: theme === "dark" ? "dark" : "light" },
    locale: language,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (hasClock(options)) await context.clock.install({ time: Date.now() + (options.clockAheadMs ?? 0) });
  const preferences = JSON.stringify(JSON.stringify({ language, theme }));
  // Kept as the page keeps them; a test may change them in the page.
  await context.addInitScript(`localStorage["faultline.preferences"] ??= ${preferences};
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error("Refused by the content security policy: " + event.violatedDirective + " " + event.blockedURI));`);
  if (as !== null) await context.addCookies([{ name: "faultline_session", value: tokens[as], url }]);
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
