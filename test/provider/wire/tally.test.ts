// How the end of an answer is judged: once, by the first error, and by nothing that was not looked at.

import { describe, expect, it } from "vitest";
import { WireTally } from "../../../src/provider/wire/tally.ts";

const ORIGIN = { surface: "sse", provider: "openai" } as const;
const UNFINISHED = { message: "no end mark" } as const;
type Options = Partial<ConstructorParameters<typeof WireTally>[0]>;

/** The calls that a tally gets, in order; `stop` is the whole of a choice. */
type Steps = readonly (readonly [string, ...unknown[]])[];

function tell(tally: WireTally, steps: Steps): void {
  for (const [name, ...given] of steps) {
    if (name === "stop") tell(tally, [["began", 0], ["stopped", 0, ...given], ["completeIfAllStopped"]]);
    else Reflect.apply(Reflect.get(tally, name) as () => void, tally, given);
  }
}

function tallyOf(steps: Steps, options: Options = {}): WireTally {
  const tally = new WireTally({ keepText: true, wantsJson: false, maxTextCharacters: 10, origin: ORIGIN, ...options });
  tell(tally, steps);
  return tally;
}

function closed(steps: Steps, options?: Options): string {
  const tally = tallyOf(steps, options);
  tally.close(() => UNFINISHED);
  const { failure, lookedAway, isComplete } = tally.state;
  if (lookedAway !== null) return `looked away from ${lookedAway}${isComplete ? ", complete" : ""}`;
  return failure === null ? "good" : (failure.stopReason ?? failure.message ?? "?");
}

describe("the end of an answer is", () => {
  it.each<[string, Steps, string]>([
    [
      "good when it has text",
      [
        ["text", 0, "x"],
        ["stop", "stop"],
      ],
      "good",
    ],
    [
      "good when it has a call",
      [
        ["toolCall", "{"],
        ["stop", "tool_calls"],
      ],
      "good",
    ],
    ["bad without anything", [["stop", "stop"]], "the model returned an empty response: status 200 without content"],
    [
      "bad with thoughts only",
      [
        ["reasoning", "x"],
        ["stop", "stop"],
      ],
      "the model returned an empty response: status 200 without content",
    ],
    [
      "bad with an empty text",
      [
        ["text", 0, ""],
        ["stop", "stop"],
      ],
      "the model returned an empty response: status 200 without content",
    ],
    ["good without anything when it comes later", [["deferred"], ["stop", "stop"]], "good"],
    [
      "good with a text that was cut",
      [
        ["text", 0, "x"],
        ["stop", "length"],
      ],
      "good",
    ],
    [
      "bad with a call that was cut",
      [
        ["toolCall", "{"],
        ["stop", "length"],
      ],
      "length",
    ],
    [
      "bad with thoughts that were cut",
      [
        ["reasoning", "x"],
        ["stop", "max_tokens"],
      ],
      "max_tokens",
    ],
    [
      "bad when it was filtered",
      [
        ["text", 0, "x"],
        ["stop", "SAFETY"],
      ],
      "SAFETY",
    ],
    ["bad when it was refused", [["text", 0, "x"], ["refusal"], ["stop", "stop"]], "refusal"],
    ["bad when its prompt was blocked", [["blocked", "SAFETY"], ["complete"]], "SAFETY"],
    ["bad without its mark", [["text", 0, "x"]], "no end mark"],
    [
      "bad while a choice has not stopped",
      [
        ["text", 0, "x"],
        ["began", 1],
        ["stop", "stop"],
      ],
      "no end mark",
    ],
    [
      "bad while one that was complete goes on",
      [["text", 0, "x"], ["stop", "stop"], ["began", 1], ["completeIfAllStopped"]],
      "no end mark",
    ],
    ["good when no choice has begun, but the end was said", [["text", 0, "x"], ["complete"]], "good"],
    ["bad when none has begun and none has stopped", [["text", 0, "x"], ["completeIfAllStopped"]], "no end mark"],
    [
      "its worst reason",
      [
        ["text", 0, "x"],
        ["stop", "stop"],
        ["stopped", 1, "SAFETY"],
        ["stopped", 2, "stop"],
      ],
      "SAFETY",
    ],
    [
      "the first error",
      [
        ["saidError", { message: "one" }],
        ["saidError", { message: "two" }],
        ["stop", "stop"],
      ],
      "one",
    ],
    [
      "an error even behind its mark",
      [
        ["text", 0, "x"],
        ["stop", "stop"],
        ["saidError", { message: "one" }],
      ],
      "one",
    ],
    [
      "unknown when a text was too long",
      [
        ["text", 0, "x".repeat(11)],
        ["stop", "stop"],
      ],
      "looked away from text, complete",
    ],
    [
      "good when it just fits",
      [
        ["text", 0, "x".repeat(10)],
        ["stop", "stop"],
      ],
      "good",
    ],
    [
      "good when only another choice is too long",
      [
        ["text", 0, "x"],
        ["text", 1, "x".repeat(11)],
        ["stop", "stop"],
      ],
      "good",
    ],
    [
      "unknown for what was looked away from first",
      [
        ["lookAway", "event"],
        ["lookAway", "body"],
      ],
      "looked away from event",
    ],
  ])("%s", (_what, steps, judged) => {
    expect(closed(steps)).toBe(judged);
  });

  it("bad when JSON was asked for and is cut", () => {
    const cut: Steps = [
      ["text", 0, "{"],
      ["stop", "length"],
    ];
    expect([closed(cut), closed(cut, { wantsJson: true })]).toEqual(["good", "length"]);
  });

  it("not judged by the length of a text that is not kept", () => {
    const long: Steps = [
      ["text", 0, "x".repeat(11)],
      ["stop", "stop"],
    ];
    expect(closed(long, { keepText: false })).toBe("good");
  });

  it("judged once", () => {
    const tally = tallyOf([
      ["text", 0, "x"],
      ["stop", "stop"],
    ]);
    tally.close(() => UNFINISHED);
    const before = { ...tally.state };
    expect(before).toMatchObject({ hasEnded: true, isComplete: true, failure: null });
    tally.lookAway("body");
    tally.state.isComplete = false;
    tally.close(() => UNFINISHED);
    expect(tally.state).toEqual({ ...before, isComplete: false });
  });
});

describe("what arrives", () => {
  it.each<[Steps, readonly unknown[]]>([
    [[["text", 0, "ab"]], [true, false, false, 1, 2, 2, "ab"]],
    [[["text", 1, "ab"]], [true, false, false, 1, 0, 2, ""]],
    [[["text", 0, ""]], [false, false, false, 0, 0, 0, ""]],
    [[["reasoning", "abc"]], [true, false, true, 1, 0, 3, ""]],
    [[["reasoning", { a: 1 }]], [true, false, true, 1, 0, 0, ""]],
    [[["reasoning", ""]], [false, false, false, 0, 0, 0, ""]],
    [
      [
        ["reasoning", "abc"],
        ["text", 0, "d"],
      ],
      [true, false, false, 2, 1, 4, "d"],
    ],
    [[["toolCall", "{}"]], [true, true, false, 1, 0, 2, ""]],
    [[["toolCall"]], [true, true, false, 1, 0, 0, ""]],
    [[["output", "abcd"]], [true, false, false, 1, 0, 4, ""]],
    [[["refusal"]], [false, false, false, 1, 0, 0, ""]],
    [[["advance"]], [false, false, false, 1, 0, 0, ""]],
    [[["advance", 5]], [false, false, false, 5, 0, 0, ""]],
    [[["saidError", {}]], [false, false, false, 1, 0, 0, ""]],
  ])("%j is counted", (steps, expected) => {
    const { sawContent, sawToolCall, isThinking, progress, textLength, outputLength, text } = tallyOf(steps).state;
    expect([sawContent, sawToolCall, isThinking, progress, textLength, outputLength, text]).toEqual(expected);
  });

  it.each([
    [255, false],
    [256, true],
  ])("is complete while choice %i of many is open: %s", (open, isComplete) => {
    // The first 256 choices that begin are waited for.
    const began = Array.from({ length: open + 1 }, (_one, choice) => ["began", choice] as const);
    const stopped = began.slice(0, -1).map(([, choice]) => ["stopped", choice, "stop"] as const);
    expect(tallyOf([...began, ...stopped, ["completeIfAllStopped"]]).state.isComplete).toBe(isComplete);
  });

  it("is complete when a choice that has stopped begins again", () => {
    expect(tallyOf([["stop", "stop"], ["began", 0], ["completeIfAllStopped"]]).state.isComplete).toBe(true);
  });
});
