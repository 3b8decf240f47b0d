// Which browser the browser tests take.

import { describe, expect, it } from "vitest";
import { findChromium } from "./chromium.ts";

const CASES: readonly (readonly [
  what: string,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string>>,
  there: readonly string[],
  found: string | null,
])[] = [
  [
    "the one that CHROME_PATH names",
    "linux",
    { CHROME_PATH: "/my/chrome", PATH: "/bin" },
    ["/my/chrome"],
    "/my/chrome",
  ],
  ["Chrome on the PATH", "linux", { PATH: "/bin:/usr/bin" }, ["/usr/bin/google-chrome"], "/usr/bin/google-chrome"],
  ["Chromium on the PATH", "linux", { PATH: "/usr/bin" }, ["/usr/bin/chromium"], "/usr/bin/chromium"],
  [
    ...(["the shell without a window, if there are both", "linux", { PATH: "/usr/bin" }] as const),
    ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"],
    "/usr/bin/chromium-headless-shell",
  ],
  ["Chromium as a snap", "linux", { PATH: "/bin" }, ["/snap/bin/chromium"], "/snap/bin/chromium"],
  [
    ...(["an application of macOS", "darwin", { PATH: "/bin" }] as const),
    ["/Applications/Chromium.app/Contents/MacOS/Chromium"],
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  [
    ...(["Edge on Windows", "win32", { "PATH": "C:\\bin", "PROGRAMFILES(X86)": "C:\\P86" }] as const),
    ["C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe"],
    "C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe",
  ],
  ["none where there is none", "linux", { PATH: "/bin:/usr/bin" }, [], null],
];

describe("the browser of the browser tests", () => {
  it.each(CASES)("is %s (%s)", (_what, platform, env, there, found) => {
    expect(findChromium(env, platform, (path) => there.includes(path))).toBe(found);
  });

  it("is never another one than the one named", () => {
    const isThere = (path: string): boolean => path === "/usr/bin/chromium";
    expect(() => findChromium({ CHROME_PATH: "/gone", PATH: "/usr/bin" }, "linux", isThere)).toThrow(/CHROME_PATH/);
  });
});
