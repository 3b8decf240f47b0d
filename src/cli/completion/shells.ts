// The script of each shell. It asks the program what may come next, so that it never grows old.

/** The command that the scripts call. People do not type it. */
export const COMPLETE = "__complete";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const SHELL_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# faultline completion for bash. Add to ~/.bashrc: eval "$(faultline completion bash)"
_faultline() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <(faultline ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _faultline faultline
`,
  zsh: `#compdef faultline
# faultline completion for zsh. Add to ~/.zshrc, after compinit: eval "$(faultline completion zsh)"
_faultline() {
  local line
  local -a found
  for line in "\${(@f)$(faultline ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then _describe faultline found; else _files; fi
}
compdef _faultline faultline
`,
  fish: `# faultline completion for fish. Save as ~/.config/fish/completions/faultline.fish
function __faultline_complete
  set -l words (commandline -opc) (commandline -ct)
  faultline ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c faultline -a '(__faultline_complete)'
`,
};
