// Copies a journal and dies on the way: `node copy-process.ts <from> <to> <entries after which it is killed>`.

import { copyJournal } from "../../../src/journal/copy/copy-journal.ts";

const [, , from = "", to = "", killedAfter = ""] = process.argv;
await copyJournal(from, to, (count) => {
  if (count >= Number(killedAfter)) process.kill(process.pid, "SIGKILL");
});
