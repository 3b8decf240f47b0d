// The budget runs out: the session waits for an approval, gets it from another process, and continues where it stopped.

import { createFaultline, step, tool } from "faultline";

const fl = createFaultline({ budget: { maxUsd: 0.00001, onExceed: "pause_for_approval" } });

const summarise = tool({
  id: "summarise",
  cost: { estimate: () => 800 }, // the most it can cost, in micro-cents
  run: (text: string, { cost }) => {
    cost(750); // what it actually cost
    return text.slice(0, 7);
  },
});

const session = await fl.session("report-3", { mode: "headless" });
const first = step(summarise, "A story of everything");
const second = step(summarise, "Another story", { needs: { first } });
const work = () => session.turn({ first, second }, { id: "summaries" });

const before = await work();
console.log(before.status, session.spending.microcents, before.questions[0]?.code);
// waiting 750 BudgetExceeded
console.log(before.questions[0]?.payload.prompt);
// summarise: The work stopped because it reached the spending limit set for it. $0.0000075 of $0.00001 is spent, and the next attempt may cost $0.000008. Try it again?

// From a dashboard, a chat, another process on the same journal:
const [question] = await fl.questions();
if (question !== undefined) await fl.answer(question.id, { status: "accepted", value: true }, "ada");

const after = await work();
console.log(after.status, session.spending.microcents);
// done 1500
await session.end();
