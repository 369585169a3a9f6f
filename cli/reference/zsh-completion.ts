import type { TreeCommand } from './command-tree.ts'
import { completionFacts, quoted, valueLines, walkLines } from './completion-facts.ts'

/** `name:description` of `_describe`, whose names end at the first colon. */
const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description}`)

/** Completion for zsh; nothing is run while it completes. */
export const zshCompletion = (root: TreeCommand): string => {
  const commands = completionFacts(root)
  const values = valueLines(commands, ({ takesFile, choices }) => {
    if (takesFile) return '_files; return'
    return choices.length === 0
      ? '_message value; return'
      : `compadd -- ${choices.map(quoted).join(' ')}; return`
  })
  const places = commands.map(({ key, children, options, takesFiles, choices }) => {
    const names = [
      ...children.map(({ name, summary }) => described(name, summary)),
      ...choices.map((choice) => described(choice, choice)),
    ]
    const flags = options.flatMap((option) =>
      option.names.map((name) => described(name, option.description)),
    )
    return `    ${quoted(key)})
      names=(${names.join(' ')})
      flags=(${flags.join(' ')})
      files=${takesFiles ? 1 : 0} ;;`
  })
  return `#compdef berth
# zsh completion of berth. Save it as _berth in a directory of $fpath.
_berth() {
  local at='' word files=0 skip=0 i
  local -a names flags
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
${walkLines(commands)}
  case "$at:\${words[CURRENT-1]}" in
${values}
  esac
  case "$at" in
${places.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option flags
  elif ((files)); then _files
  elif (( \${#names} )); then _describe command names
  else _describe -o option flags
  fi
}
if [[ $funcstack[1] == _berth ]]; then _berth "$@"; else compdef _berth berth; fi
`
}
