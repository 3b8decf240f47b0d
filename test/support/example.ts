// What an example promises to print: the comments behind its `console.log` calls.

export function promisedBy(source: string): readonly string[] {
  return Array.from(
    source.matchAll(/console\.log\(.*\n +?\/\/ (.+)$|console\.log\(.*\n\/\/ (.+)$/gm),
    ([, inside, outside]) => inside ?? outside ?? "",
  );
}
