// What a chain of one costs compared with the bare AI SDK model, on the same loopback upstream in the same run: CPU time per call,
// streaming and not, and how many bytes of the answer are copied. The upstream and each row run in their own process, like a program
// that makes one kind of call. Each row runs in several processes one after the other, because no two processes are compiled and laid
// out alike. The floor is the thinnest possible wrapper. There are three requests: two as agents send them (instructions, tools,
// history), at the start and in the middle of their work, and the smallest possible one, where added cost weighs most. The answer has
// two hundred words, streamed one by one.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChaos } from "../src/testing/index.ts";
import { print } from "./measure.ts";
import { compare, makeRounds, type Round } from "./provider/compare.ts";
import { ROWS, type Upstream } from "./provider/rows.ts";

const PROCESSES = Number(process.env["BENCH_PROCESSES"] ?? 3);

const [, , part, row, given] = process.argv;
if (part === "upstream") await serve();
else if (part === "row") await measureRow(Number(row), JSON.parse(given ?? "{}") as Upstream);
else await measureAll();

async function serve(): Promise<void> {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");
  const { openaiUrl, anthropicUrl } = await startChaos({ scenario: { rules: [{ answer: words }] } });
  process.send?.({ openaiUrl, anthropicUrl });
  process.on("disconnect", () => process.exit(0));
}

async function measureRow(index: number, upstream: Upstream): Promise<void> {
  const { use } = ROWS[index] ?? ROWS[0];
  process.send?.(await makeRounds(use(upstream)));
  process.disconnect();
}

async function measureAll(): Promise<void> {
  const upstream = fork(fileURLToPath(import.meta.url), ["upstream"]);
  const urls = await messageOf<Upstream>(upstream);
  print(
    `Node ${process.version}. CPU µs a call of the whole process, both sides warmed up; see bench/provider/compare.ts.\n`,
  );
  print("                                          bare   floor    ours  added: floor    ours    (90 % of re-samples)");
  for (const [index, { name }] of ROWS.entries()) {
    const rounds: Round[] = [];
    for (let made = 0; made < PROCESSES; made++) {
      const child = fork(fileURLToPath(import.meta.url), ["row", String(index), JSON.stringify(urls)]);
      rounds.push(...(await messageOf<readonly Round[]>(child)));
    }
    const { bare, floor, ours, floorAdds, oursAdds, from, to } = compare(rounds);
    const times = [bare, floor, ours].map((micros) => micros.toFixed(0).padStart(7)).join(" ");
    const added = `${percent(floorAdds)} ${percent(oursAdds)}`;
    print(`${name.padEnd(38)} ${times}       ${added}   ${percent(from)} …${percent(to)}`);
  }
  print(
    "\nBytes of the answer copied by a chain: 0 (parts are handed on as they are); by fl.fetch: 0 of a stream (chunks are\nhanded on as they are), once for a whole answer (read to be judged, then handed on).",
  );
  upstream.disconnect();
}

async function messageOf<Message>(child: ReturnType<typeof fork>): Promise<Message> {
  const [message] = (await once(child, "message")) as [Message];
  return message;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).padStart(5)} %`;
}
