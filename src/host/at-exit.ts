// Work for the moment a process ends by itself or calls `process.exit`: one listener, however many parts of the program need it.

const works = new Set<() => void>();
let isListening = false;

/** `work` must not wait for anything. The returned function takes it back. */
export function atExit(work: () => void): () => void {
  if (!isListening) process.on("exit", runAll);
  isListening = true;
  works.add(work);
  return () => void works.delete(work);
}

function runAll(): void {
  for (const work of works) work();
}
