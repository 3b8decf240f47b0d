import { expect, it } from "vitest";
import { openWorld } from "./world.ts";
const LONG = `half ${"line of text. ".repeat(3000)} sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEf end`;
const yaml = (node: string) => `
agents: { coder: { model: openai/coder }, last: { model: openai/last } }
nodes:
  code: { type: agent, agent: coder, prompt: Write it., ${node} next: done }
  done: { type: agent, agent: last, prompt: "{{ nodes.code.output }}" }
`;
for (const later of ["", "resolution: retry-later, retry: { max_attempts: 3, initial: 10m, max: 1h, jitter: 0 }, "]) {
  it(`accept ${later}`, async () => {
    const world = await openWorld({ yaml: yaml(`assert: [{ that: "output.length < 10", reason: no }], ${later}`), rules: [{ when: { model: "coder" }, answer: LONG }] });
    const run = await world.start();
    await world.advance(run);
    const acted = await world.until(world.runs.act(run, "accept-partial"));
    await world.advance(acted.run);
    expect(world.asked("last").at(0)).toContain(LONG);
  });
  it(`edit ${later}`, async () => {
    const world = await openWorld({ yaml: yaml(later), rules: [{ when: { model: "coder", request: 1 }, fault: "content-filter" }] });
    const run = await world.start();
    await world.advance(run);
    const acted = await world.until(world.runs.act(run, "edit-and-retry", { params: { text: LONG } }));
    await world.advance(acted.run);
    expect(world.asked("coder").at(1)).toContain(LONG);
  });
}
