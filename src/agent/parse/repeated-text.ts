// Some CLIs join the texts of all attempts into one answer. Where every attempt said the same, one of them is the answer; where
// they differ nobody can tell where one ended, and the text stays as it is.

/** `attempts` is how many the CLI is known to have joined. */
export function onceOf(text: string, attempts: number): string {
  if (attempts < 2 || text.length === 0 || text.length % attempts !== 0) return text;
  const once = text.slice(0, text.length / attempts);
  return once.repeat(attempts) === text ? once : text;
}
