// `faultline completion`: the script that lets a shell complete command lines of this program.

import { Argument, type Command } from "commander";
import { cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import { safeJson } from "../render/safe-text.ts";
import { type Shell, SHELL_SCRIPTS, SHELLS } from "../completion/shells.ts";

export function addCompletion(program: Command, io: Io): void {
  program
    .command("completion")
    .summary("print the script that completes commands in your shell")
    .description("Prints a script that completes commands, options and values in your shell.")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
Examples:
  $ eval "$(faultline completion bash)"
  $ faultline completion zsh >> ~/.zshrc
  $ faultline completion fish > ~/.config/fish/completions/faultline.fish`,
    )
    .action(async (shell: Shell, _options: object, command: Command) => {
      const script = SHELL_SCRIPTS[shell];
      const cli = cliOf(command, io);
      await cli.stdout.write(cli.json ? `${safeJson({ shell, script })}\n` : script);
    });
}
