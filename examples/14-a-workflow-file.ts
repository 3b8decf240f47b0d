// A workflow in YAML with a gate: checked before it runs, stored while it waits, resumed by the answer.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "faultline";
import { createWorkflows } from "faultline/workflow";

const folder = mkdtempSync(join(tmpdir(), "faultline-example-"));
const file = join(folder, "release.faultline.yaml");
const text = `
faultline: 1
workflow: { id: release, version: "1" }
inputs:
  version: { type: string }
nodes:
  test:  { type: command, run: node --version, next: ask }
  ask:   { type: human_gate, ask: Confirm, prompt: "Release {{ inputs.version }}?", next: note }
  note:  { type: transform, value: "({ released: inputs.version })", next: { to: end, outcome: released } }
`;

writeFileSync(file, text.replace("next: note", "next: nte"));
const journal = await openJournal(join(folder, "journal.db"));
const workflows = createWorkflows({ journal });
const wrong = await workflows.file(file);
console.log(wrong.workflow, wrong.diagnostics[0]?.line, wrong.diagnostics[0]?.label);
// null 8 did you mean `note`?

writeFileSync(file, text);
const { workflow } = await workflows.file(file);
if (workflow === null) throw new Error("the file is right now");
const run = await workflows.runs.start(workflow, { inputs: { version: "2.0.0" } });
const waiting = await workflows.runs.advance(run);
console.log(waiting.status, waiting.questions[0]?.payload.prompt);
// paused Release 2.0.0?

// Another process, another day.
await workflows.runs.answer(waiting.questions[0]?.id ?? "", { status: "accepted", value: true }, "ann");
const { status, outcome } = await workflows.runs.advance(run);
console.log(status, outcome);
// completed released

await workflows.close();
