// An unreadable answer is a fault of the endpoint in a workflow too: a reviewer's run never ends as if the model had answered in
// a wrong form.

import { describe, expect, it, onTestFinished } from "vitest";
import { type StubReply, type StubRequest, startDialectStub } from "../support/dialect-stub.ts";
import { UNREADABLE } from "../support/unreadable-answers.ts";
import { type ActionsWorld, openWorld } from "./operator/world.ts";

const VERDICT = JSON.stringify({ decision: "approve" });

const ANSWERS: Readonly<Record<string, (request: StubRequest) => StubReply>> = {
  ...UNREADABLE,
  "an empty text, each time": () => ({ text: "" }),
};

interface Reviewed {
  readonly world: ActionsWorld;
  readonly asked: () => readonly string[];
}

async function reviewed(first: (request: StubRequest) => StubReply, rest: string): Promise<Reviewed> {
  const stub = await startDialectStub((request) => (request.target === "first" ? first(request) : { text: VERDICT }));
  onTestFinished(stub.close);
  const world = await openWorld({
    yaml: `providers:
  east: { type: openai-compatible, base_url: "${stub.url}/first/chat" }
  west: { type: openai-compatible, base_url: "${stub.url}/second/chat" }
agents:
  reviewer:
    model: east/llama-3
    output_schema: { type: object, required: [decision], properties: { decision: { type: string } } }
    ${rest}
nodes:
  review: { type: agent, role: reviewer, agent: reviewer, prompt: Judge it. }
`,
  });
  return { world, asked: () => stub.requests.map(({ target }) => target) };
}

describe.each(["whole", "streamed"])("an answer that comes %s", (form) => {
  const stream = `stream: ${String(form === "streamed")}`;

  it.each(Object.entries(ANSWERS))(
    "as %s, alone: the run fails, and not because of its schema",
    async (name, answer) => {
      const { world, asked } = await reviewed(answer, stream);
      const run = await world.start();
      expect(await world.advance(run)).toMatchObject({ status: "failed" });
      const failed = (await world.entries(run)).flatMap(({ event }) => (event.type === "node-failed" ? [event] : []));
      const code = name in UNREADABLE ? "AnswerUnreadable" : "EmptyOutput";
      expect(failed).toMatchObject([{ fault: { code } }]);
      expect(JSON.stringify(await world.show(run))).not.toContain("schema_invalid");
      expect(asked().length).toBeGreaterThan(1);
    },
  );

  it.each(Object.entries(ANSWERS))("as %s, with a fallback: the fallback reviews", async (_name, answer) => {
    const { world, asked } = await reviewed(answer, `${stream}\n    fallback: [west/llama-3]`);
    const run = await world.start();
    expect(await world.advance(run)).toMatchObject({ status: "completed" });
    expect(asked().at(-1)).toBe("second");
  });
});
