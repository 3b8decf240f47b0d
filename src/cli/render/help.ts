// The help of a command: what it does, examples, then the rest, in the user's language.

import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help, type HelpConfiguration } from "commander";
import type { Locale } from "../../core/index.ts";
import { helpInWords } from "./words/help-words.ts";

type HelpText = string | ((context: AddHelpTextContext) => string);

const EXAMPLES = "\nExamples:\n";

/** A command that keeps what is said after its help, so that its examples can come first. */
export class HelpfulCommand extends Command {
  private after = "";

  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  override addHelpText(position: AddHelpTextPosition, text: HelpText): this {
    if (position !== "after" || typeof text !== "string") return super.addHelpText(position, text as string);
    this.after = text;
    return this;
  }

  /** Lines such as `faultline runs list`. A command without its own has those of its parent that are about it. */
  get examples(): readonly string[] {
    const at = this.after.indexOf(EXAMPLES);
    if (at !== -1) return linesOf(this.after.slice(at + EXAMPLES.length));
    const { parent } = this;
    if (!(parent instanceof HelpfulCommand)) return [];
    return parent.examples.filter((line) => `${line} `.includes(`${pathOf(this)} `));
  }

  /** What else there is to know. */
  get notes(): string {
    const at = this.after.indexOf(EXAMPLES);
    return (at === -1 ? this.after : this.after.slice(0, at)).trim();
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*\$ /, "").trim())
    .filter((line) => line !== "");
}

/** As in `faultline runs list`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Every text is looked up when help is printed, because only then the language is known. */
export function helpIn(locale: () => Locale): HelpConfiguration {
  const base = new Help();
  const words = (text: string): string => helpInWords(text, locale());
  return {
    showGlobalOptions: true,
    // Long command names leave little room; without this, help texts exceed 80 columns.
    minWidthToWrap: 20,
    styleTitle: words,
    commandDescription: () => "",
    subcommandDescription: (command) => words(base.subcommandDescription(command)),
    optionDescription: (option) => words(base.optionDescription(option)),
    argumentDescription: (argument) => words(base.argumentDescription(argument)),
    formatHelp: (command, helper) => {
      const width = helper.helpWidth ?? 80;
      const { examples, notes } = command instanceof HelpfulCommand ? command : { examples: [], notes: "" };
      const parts = [
        helper.boxWrap(words(command.description()), width),
        ...(examples.length === 0 ? [] : [[words("Examples:"), ...examples.map((line) => `  $ ${line}`)].join("\n")]),
        // Commander puts a space after the title of the first line.
        base.formatHelp
          .call(helper, command, helper)
          .trim()
          .replace(/^(\S+：) /, "$1"),
        ...(notes === "" ? [] : [words(notes)]),
      ];
      return `${parts.join("\n\n")}\n`;
    },
  };
}
