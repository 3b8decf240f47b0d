// Untrusted text in Markdown: it stays on its line, and nothing in it is read as Markdown, HTML or a link.

/** Control characters except the line break, and characters that reverse, hide or break text. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** Sequences that a terminal obeys; they may also hide the beginning of a secret. */
const TERMINAL = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

/** Without control characters; line breaks stay. */
export function plainText(text: string): string {
  return text.replace(TERMINAL, "").replace(UNSAFE, " ");
}

/** One line without control characters. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

/** A line of a stack: `at run (/srv/app/x.js:1:2)`. */
const STACK_LINE = /^\s*at .*(?::\d+:\d+\)?|\(native\)|<anonymous>.*)$/gm;
/** An absolute path of Unix or Windows, or a file URL. The path of a web address is not one. */
const PATH = /(^|[\s"'`([{=,;:|])(?:file:\/\/\S+|~?(?:\/[\w.@%+~-]+)+\/?|[A-Za-z]:[\\/][^\s"'`)\]}>,;|]*)/gm;

/** Without lines of stacks and without the machine's paths; takes text of several lines. */
export function withoutPaths(text: string): string {
  return text.replace(STACK_LINE, "").replace(PATH, "$1[path]");
}

/** Cut to a length, by characters. */
export function shortened(text: string, maxChars: number): string {
  const chars = Array.from(text);
  return chars.length <= maxChars
    ? text
    : `${chars
        .slice(0, maxChars - 1)
        .join("")
        .trimEnd()}…`;
}

/** Plain text as Markdown, on one line, for a paragraph, a list item or a table cell. */
export function markdownText(text: string): string {
  return plainLine(text)
    .replace(/[\\`*[\]<>|~&$]/g, String.raw`\$&`)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replace(/^[-+=#]/, String.raw`\$&`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/:\/\//g, String.raw`\://`)
    .replace(/\bwww\./gi, (www) => `${www.slice(0, -1)}${String.raw`\.`}`);
}

const PLAIN_NAME = /^[\w./#:@-]+$/;

/** A name as code; as plain text if it could end the code. */
export function markdownName(name: string): string {
  const line = plainLine(name);
  return PLAIN_NAME.test(line) ? `\`${line}\`` : markdownText(line);
}

/** A table; its cells are Markdown. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
