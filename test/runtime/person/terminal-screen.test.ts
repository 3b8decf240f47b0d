// A prompt knows how far down it has drawn, and wipes exactly that.

import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { TerminalScreen } from "../../../src/runtime/person/terminal-screen.ts";

const [UP, DOWN] = ["\u001b[A", "\u001b[B"];

it.each([
  { drawn: "Continue?", up: "" },
  { drawn: "one\ntwo", up: "\u001b[1A" },
  { drawn: "one\ntwo\nthree", up: "\u001b[2A" },
  { drawn: `one\ntwo${UP}`, up: "" },
  { drawn: `one\ntwo\nthree${UP}`, up: "\u001b[1A" },
  { drawn: "one\ntwo\nthree\u001b[2A", up: "" },
  { drawn: `one${DOWN}`, up: "\u001b[1A" },
  { drawn: "one\u001b[3Btwo", up: "\u001b[3A" },
  { drawn: `one${UP}\ntwo`, up: "\u001b[1A" },
  { drawn: "one\u001b[12B\u001b[10Atwo", up: "\u001b[2A" },
  { drawn: "one\u001b[3Ctwo\u001b[31mred", up: "" },
])("after $drawn, goes up by $up", ({ drawn, up }) => {
  const output = new PassThrough({ encoding: "utf8" });
  const screen = new TerminalScreen(output);
  screen.write(drawn);
  expect(output.read()).toBe(drawn);
  screen.wipe();
  expect(output.read()).toBe(`${up}\r\u001b[J`);
  // Nothing of it is left to be wiped.
  screen.wipe();
  expect(output.read()).toBe("\r\u001b[J");
});

it("has the size of its terminal, and tells when that changes until it is released", () => {
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  const screen = new TerminalScreen(output);
  let told = 0;
  screen.on("resize", () => told++);
  output.emit("resize");
  expect([screen.columns, screen.rows, told]).toEqual([80, 24, 1]);
  screen.release();
  output.emit("resize");
  expect(told).toBe(1);
});
