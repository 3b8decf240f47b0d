// Some CLIs join the texts of all attempts into one answer. If all attempts have the same text, it is returned once. If they differ, the
// boundaries are unknown, and the text is returned unchanged.

/** `attempts` is the number of attempts that the CLI has joined. */
export function onceOf(text: string, attempts: number): string {
  const once = text.slice(0, text.length / attempts);
  return once.repeat(attempts) === text ? once : text;
}
