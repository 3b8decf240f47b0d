// Who gets in, and what stands around every page.

import { expect, it } from "vitest";
import { startWorld } from "../server/world.ts";
import { inBrowser, look } from "./browser.ts";

inBrowser("signing in", () => {
  it("asks for a token, refuses a wrong one and keeps what was typed, and lets the right one in", async () => {
    const world = await startWorld();
    const page = await look(world, "/runs", { as: null, expects: [/status of 401/] });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel("Token").fill("flt_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Token").inputValue()).toBe("flt_wrong");
    await page.getByLabel("Token").fill(world.tokens.operator);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/runs");
  });
});

inBrowser("an address that no page has", () => {
  it.each([
    ["en", "Page not found", "Go to Overview"],
    ["zh-CN", "找不到页面", "前往“总览”"],
  ] as const)("says so and leads on (%s)", async (language, title, way) => {
    const page = await look(await startWorld(), "/nothing/here", { language });
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByRole("link", { name: way }).click();
    await page.waitForURL((url) => url.pathname === "/");
  });
});
