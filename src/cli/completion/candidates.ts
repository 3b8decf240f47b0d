// What may follow a half-typed command line: commands, options and values, read from the commands themselves.

import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** `words` come after the program's name; the last one is being typed and may be empty. Without a candidate, a shell offers files. */
export function candidatesFor(program: Command, words: readonly string[]): readonly Candidate[] {
  const typed = words.at(-1) ?? "";
  const { command, places, pending } = follow(program, words.slice(0, -1));
  const found = pending === null ? offersOf(command, places, typed) : choicesOf(pending);
  return found.filter(({ value }) => value.startsWith(typed));
}

interface Followed {
  readonly command: Command;
  /** How many arguments of the command are there. */
  readonly places: number;
  /** The option whose value comes next. */
  readonly pending: Option | null;
}

function follow(program: Command, words: readonly string[]): Followed {
  let command = program;
  let places = 0;
  let pending: Option | null = null;
  for (const word of words) {
    if (pending !== null) {
      pending = null;
    } else if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      pending = option?.required === true ? option : null;
    } else {
      const inner: Command | undefined =
        places === 0 ? command.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) : undefined;
      if (inner === undefined) places++;
      else command = inner;
    }
  }
  return { command, places, pending };
}

function offersOf(command: Command, places: number, typed: string): readonly Candidate[] {
  if (typed.startsWith("-"))
    return optionsOf(command).map(({ long, short, description }) => ({
      value: long ?? short ?? "",
      about: description,
    }));
  if (places === 0 && command.commands.length > 0) {
    const shown = command.createHelp().visibleCommands(command);
    return shown.map((one) => ({ value: one.name(), about: one.summary() || one.description() }));
  }
  const argument = command.registeredArguments[places];
  return argument === undefined ? [] : choicesOf(argument);
}

function choicesOf({ argChoices, description }: Option | Argument): readonly Candidate[] {
  return (argChoices ?? []).map((value) => ({ value, about: description }));
}

/** Its own and those of every command. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  const inherited = command.parent === null ? [] : help.visibleGlobalOptions(command);
  return [...help.visibleOptions(command), ...inherited].filter(({ hidden }) => !hidden);
}
