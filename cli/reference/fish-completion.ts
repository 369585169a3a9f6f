import type { TreeCommand } from './command-tree.ts'
import { completionFacts, valueOptions } from './completion-facts.ts'

/** A word in single quotes, for fish. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Completion for fish; nothing is run while it completes. */
export const fishCompletion = (root: TreeCommand): string => {
  const commands = completionFacts(root)
  const steps = commands.flatMap(({ key, children }) =>
    children.map(
      ({ name, aliases }) =>
        `      case ${[name, ...aliases].map((word) => quoted(`${key}:${word}`)).join(' ')}\n        set at ${quoted(`${key} ${name}`.trim())}`,
    ),
  )
  const lines = commands.flatMap(({ key, children, options, takesFiles, choices }) => {
    const where = `complete -c berth -n ${quoted(`test (__berth_at) = "${key}"`)}`
    return [
      ...children.map(({ name, summary }) => `${where} -a ${quoted(name)} -d ${quoted(summary)}`),
      ...choices.map((choice) => `${where} -a ${quoted(choice)}`),
      ...(takesFiles ? [`${where} -F`] : []),
      ...options.map((option) => {
        const names = option.names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        )
        const value = option.takesFile
          ? ' -r -F'
          : option.takesValue
            ? ` -x${option.choices.length === 0 ? '' : ` -a ${quoted(option.choices.join(' '))}`}`
            : ''
        return `${where} ${names.join(' ')}${value} -d ${quoted(option.description)}`
      }),
    ]
  })
  return `# fish completion of berth. Save it as ~/.config/fish/completions/berth.fish
function __berth_at
  set -l at ''
  set -l skip 0
  set -l tokens (commandline -opc)
  for word in $tokens[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${valueOptions(commands).join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    switch "$at:$word"
${steps.join('\n')}
    end
  end
  echo -- $at
end
complete -c berth -f
${lines.join('\n')}
`
}
