// A page's shell snippets as one script, in their order, because a reader types them one after the other. A server keeps running until
// the end of the page, or until the next one of its kind.

import { LINES_NOT_RUN, LINES_RUN_ONCE, LINES_THAT_FAIL } from "./not-run.ts";
import { type Snippet, snippetsIn } from "./pages.ts";

/** Fails on every HTTP error. A stream of events never ends, so it is read for a moment. */
const HEAD = `set -e -o pipefail
curl() {
  case " $* " in
    *" -N "*) command curl -f --max-time 1 "$@" || [ $? = 28 ] ;;
    *) command curl -f "$@" ;;
  esac
}
`;

export const MARK = "@@ ";

/** Commands of a snippet: lines joined at a backslash, without comments. */
export function commandsIn({ text }: Pick<Snippet, "text">): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => withoutComment(line).trim())
    .filter((line) => line !== "");
}

/** A `#` in quotes does not begin a comment. */
function withoutComment(line: string): string {
  const [kept = ""] = /^(?:[^#'"]|(?<=\S)#|'[^']*'|"[^"]*")*/.exec(line) ?? [];
  return kept;
}

export function scriptOf(snippets: readonly Snippet[]): string {
  const lines = snippets.flatMap((snippet) => [
    `echo '${MARK}${snippet.place}' >&2`,
    'cd "$READER"',
    ...commandsIn(snippet).flatMap((command) => lineFor(command, snippet.page)),
  ]);
  return `${HEAD}${lines.join("\n")}\n`;
}

/** The same for lines that do the same: the task is the reader's, and `npx` finds the program that is installed. */
const withoutTask = (command: string): string =>
  command.replace(/^npx /, "").replace(/(?<=--input task=)(?:"[^"]*"|'[^']*')/, "");

/** The file that this line needs, if the line runs on an earlier page. */
export function ranBefore(command: string, page: string): string | null {
  const [, needs] = LINES_RUN_ONCE.find(([line]) => line.test(command)) ?? [];
  if (needs === undefined) return null;
  const first = snippetsIn("sh").find((snippet) =>
    commandsIn(snippet).some((other) => withoutTask(other) === withoutTask(command)),
  );
  return first?.page === page ? null : needs;
}

function lineFor(command: string, page: string): readonly string[] {
  if (LINES_NOT_RUN.some(([line]) => line.test(command))) return [];
  const needs = ranBefore(command, page);
  if (needs !== null) return [`test -f ${needs} || { echo "no ${needs} for: ${withoutTask(command)}" >&2; exit 1; }`];
  const fails = LINES_THAT_FAIL.find(([line]) => line.test(command));
  if (fails === undefined) return [command];
  return [`code=0; ${command} || code=$?; [ $code = ${fails[1]} ] || { echo "exit code $code" >&2; exit 1; }`];
}
