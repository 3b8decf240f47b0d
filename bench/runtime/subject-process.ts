// Runs a subject in its own process, so that subjects do not disturb each other's heap, compiled code or timers. The process stays for
// the whole section, so that subjects can take turns and still be warm.

import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { JobKind, JobOf, Replies, Reply } from "./jobs.ts";
import type { Subject } from "./subject.ts";
import { SUBJECTS, type SubjectId } from "./subjects.ts";

export class SubjectProcess {
  readonly id: SubjectId;
  readonly subject: Subject;
  readonly #child: ChildProcess;

  constructor(id: SubjectId) {
    this.id = id;
    this.subject = SUBJECTS[id];
    this.#child = fork(fileURLToPath(new URL("subject-child.ts", import.meta.url)), [id], {
      execArgv: ["--expose-gc"],
    });
  }

  /** An arrow, so that it can be taken out of its object. */
  readonly ask = <K extends JobKind>(job: JobOf<K> & { readonly kind: K }): Promise<Replies[K]> =>
    new Promise((resolve, reject) => {
      const { name } = this.subject;
      const answered = (reply: Reply): void => {
        this.#child.off("exit", died);
        if (reply.ok) resolve(reply.value as Replies[K]);
        else reject(new Error(`${name}: ${reply.message}`));
      };
      const died = (code: number | null): void => {
        this.#child.off("message", answered);
        reject(new Error(`${name}: its process ended with ${String(code)} during ${job.kind}`));
      };
      this.#child.once("message", answered);
      this.#child.once("exit", died);
      this.#child.send(job);
    });

  stop(): void {
    this.#child.kill();
  }
}

/** Runs a section with a process for each subject, after each has shown that it protects calls. */
export async function withProcesses<T>(
  ids: readonly SubjectId[],
  use: (processes: readonly SubjectProcess[]) => Promise<T>,
): Promise<T> {
  const processes = ids.map((id) => new SubjectProcess(id));
  try {
    for (const one of processes) {
      const { problems } = await one.ask({ kind: "check" });
      if (problems.length > 0)
        throw new Error(`${one.subject.name} does not do what is measured: ${problems.join("; ")}`);
    }
    return await use(processes);
  } finally {
    for (const one of processes) one.stop();
  }
}
