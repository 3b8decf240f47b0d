// The messages with which CLIs report that a tool call was denied. They are looked for only at the start of error results: an ordinary
// "Permission denied" from a command is a failure of the command, not a denial.

const SEARCHED_CHARS = 400;

/** Each with a real message that it matches. */
const DENIALS: readonly RegExp[] = [
  /requested permissions? to (?:use|read|write|edit)/i, // Claude requested permissions to use Bash, but you haven't granted it yet.
  /\bneeds approval\b/i, //                                touch in '/home/user/x' needs approval. The path is outside the working directories
  /\brequires? (?:your )?approval\b/i, //                  This command requires approval
  /was blocked\. For security/i, //                        Bash(rm x) was blocked. For security, Claude Code may only …
  /^Permission to use \S+ (?:with|has been)/i, //          Permission to use Bash with command rm has been denied.
  /doesn't want to proceed with this tool use/i, //        The user doesn't want to proceed with this tool use.
  /\bpermission was declined\b/i, //                       Qwen Code requires permission to use "run_shell_command", but that permission was declined.
  /\brejected permission to use\b/i, //                    The user rejected permission to use this specific tool call.
  /\bhas declined to run this tool\b/i, //                 The user has declined to run this tool.
  /\bdenied by (?:policy|the user|user)\b/i, //            Tool execution denied by policy.
];

/** The message of the denial, or null if the text is not a denial. */
export function denialIn(text: string): string | null {
  const head = text.slice(0, SEARCHED_CHARS);
  return DENIALS.some((denial) => denial.test(head)) ? head : null;
}
