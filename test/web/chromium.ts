// The Chrome or Chromium that browser tests, screenshots and measurements use: one that is there, or one that is installed now.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium, type LaunchOptions } from "playwright-core";

type Env = Readonly<Record<string, string | undefined>>;

/** The shell without a window comes first: it is the same engine and needs half of the processor time. */
const NAMES = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "chrome",
  "microsoft-edge",
];

/** Where installers put it. A place may begin with a variable of the environment. */
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["/snap/bin/chromium", "/opt/google/chrome/chrome"],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((variable) => [
    `%${variable}%\\Google\\Chrome\\Application\\chrome.exe`,
    `%${variable}%\\Microsoft\\Edge\\Application\\msedge.exe`,
  ]),
};

const LONGEST_INSTALL_MS = 10 * 60_000;

/** The path of a browser that is there; null when there is none. `CHROME_PATH` names another one. */
export function findChromium(
  env: Env = process.env,
  platform: NodeJS.Platform = process.platform,
  isThere: (path: string) => boolean = existsSync,
): string | null {
  const named = env["CHROME_PATH"] ?? "";
  if (named !== "") {
    if (isThere(named)) return named;
    throw new Error(`CHROME_PATH is ${named}, but there is no such file. Correct it, or unset it to use any Chrome.`);
  }
  const folders = (env["PATH"] ?? "").split(platform === "win32" ? ";" : delimiter).filter((folder) => folder !== "");
  const suffix = platform === "win32" ? ".exe" : "";
  const candidates = [
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name + suffix))),
    ...(PLACES[platform] ?? []).map((place) => place.replace(/%(.+?)%/, (_all, name: string) => env[name] ?? "")),
    chromium.executablePath(),
  ];
  return candidates.find((path) => path !== "" && isThere(path)) ?? null;
}

/** Finds a browser or installs one. Null when there is none and none could be installed; `tell` hears what happens. */
export function getChromium(tell: (line: string) => void): string | null {
  const found = findChromium();
  if (found !== null) return found;
  for (const { name, command, args } of installers()) {
    tell(`There is no Chrome or Chromium here; installing ${name}…`);
    const done = spawnSync(command, args, { encoding: "utf8", timeout: LONGEST_INSTALL_MS, env: INSTALL_ENV });
    const installed = findChromium();
    if (installed !== null) return installed;
    tell(`${name} could not be installed: ${(done.stderr || (done.error?.message ?? "")).trim().slice(-400)}`);
  }
  return null;
}

interface Installer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const INSTALL_ENV = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

function installers(): readonly Installer[] {
  const isRoot = process.getuid?.() === 0;
  const playwright = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
  return [
    ...(isRoot && existsSync("/usr/bin/apt-get")
      ? [
          {
            name: "Debian's chromium-headless-shell",
            command: "sh",
            args: ["-c", "apt-get update -q && apt-get install -qy chromium-headless-shell"],
          },
        ]
      : []),
    { name: "Playwright's Chromium", command: process.execPath, args: [playwright, "install", "chromium"] },
  ];
}

/** Chromium refuses to run as root inside its sandbox; the only pages it opens here are our own. */
export function launchOptions(executablePath: string): LaunchOptions {
  return { executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] };
}
