// Many runs like one that the engine made. What the journal was asked to write for that one is recorded, and asked of it again under other names:
// the same appends, kept values and files, many runs side by side. Only the engine's own work and its reads are left out.

import type { FileStore, JournalFiles } from "../../src/journal/files/file-store.ts";
import type { Journal } from "../../src/index.ts";

type Renamed = (text: string) => string;
/** Asks the journal for one write, with the name of the run replaced. */
type Write = (renamed: Renamed) => Promise<unknown>;

export interface RecordedRun {
  readonly run: string;
  readonly writes: readonly Write[];
}

/** `make` makes one run in the journal it gets, and returns its name. */
export async function recordRun(journal: Journal, make: (journal: Journal) => Promise<string>): Promise<RecordedRun> {
  const writes: Write[] = [];
  const add = (write: Write): void => void writes.push(write);
  const run = await make({
    ...journal,
    files: journal.files === null ? null : recordedFiles(journal.files, add),
    append(session, after, entries, keeps = []) {
      const text = JSON.stringify([session, after, entries, keeps]);
      add((renamed) => journal.append(...(JSON.parse(renamed(text)) as Parameters<Journal["append"]>)));
      return journal.append(session, after, entries, keeps);
    },
    keep(keeps) {
      const text = JSON.stringify(keeps);
      add((renamed) => journal.keep(JSON.parse(renamed(text)) as Parameters<Journal["keep"]>[0]));
      return journal.keep(keeps);
    },
  });
  return { run, writes };
}

export async function copyRun({ run, writes }: RecordedRun, name: string): Promise<void> {
  for (const write of writes) await write((text) => text.replaceAll(run, name));
}

function recordedFiles({ artefacts, runs }: JournalFiles, add: (write: Write) => void): JournalFiles {
  return { artefacts: recordedStore(artefacts, add, ""), runs: recordedStore(runs, add, "") };
}

/** `root`: the folder in the store, with a slash behind it. */
function recordedStore(store: FileStore, add: (write: Write) => void, root: string): FileStore {
  return {
    ...store,
    writeNew(folder, name, bytes) {
      const text = Buffer.from(bytes).toString();
      add((renamed) => store.writeNew(renamed(`${root}${folder}`), renamed(name), Buffer.from(renamed(text))));
      return store.writeNew(`${root}${folder}`, name, bytes);
    },
    replace(path, content) {
      const text = Buffer.from(content).toString();
      add((renamed) => store.replace(renamed(`${root}${path}`), renamed(text)));
      return store.replace(`${root}${path}`, content);
    },
    read: (path) => store.read(`${root}${path}`),
    list: () => store.within(root).list(),
    within: (folder) => recordedStore(store, add, `${root}${folder}/`),
  };
}
