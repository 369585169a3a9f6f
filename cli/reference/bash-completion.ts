import type { TreeCommand } from './command-tree.ts'
import { completionFacts, quoted, valueLines, walkLines } from './completion-facts.ts'

/** Completion for bash; nothing is run while it completes. */
export const bashCompletion = (root: TreeCommand): string => {
  const commands = completionFacts(root)
  const values = valueLines(commands, ({ takesFile, choices }) => {
    if (takesFile) return '_berth_files "$cur"; return'
    return choices.length === 0 ? null : `words=${quoted(choices.join(' '))}`
  })
  const places = commands.map(({ key, children, options, takesFiles, choices }) => {
    const names = [...children.map(({ name }) => name), ...choices].join(' ')
    const flags = options.flatMap((option) => option.names).join(' ')
    return `      ${quoted(key)}) names=${quoted(names)} flags=${quoted(flags)} files=${takesFiles ? 1 : 0} ;;`
  })
  return `# bash completion of berth. Load it: source <(berth completion bash)
_berth_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}
_berth() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev='' at='' word words='' names='' flags='' files=0 skip=0 i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=\${COMP_WORDS[COMP_CWORD-1]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
${walkLines(commands)}
  case "$at:$prev" in
${values}
  esac
  if [[ -z $words ]]; then
    ((skip)) && return
    case "$at" in
${places.join('\n')}
    esac
    if [[ $cur == -* || ( -z $names && $files == 0 ) ]]; then words=$flags
    elif ((files)); then _berth_files "$cur"; return
    else words=$names
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _berth berth
`
}
