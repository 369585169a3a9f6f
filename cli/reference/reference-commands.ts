import { Argument, type Command } from 'commander'
import { productVersion } from '#adapters/node/process/product-version.ts'
import { withExamples } from '../examples.ts'
import { readGlobalOptions } from '../options.ts'
import { bashCompletion } from './bash-completion.ts'
import { commandTree, type TreeCommand } from './command-tree.ts'
import { fishCompletion } from './fish-completion.ts'
import { manPage } from './man-page.ts'
import { markdownReference } from './markdown.ts'
import { zshCompletion } from './zsh-completion.ts'

const SHELLS: Readonly<Record<string, (root: TreeCommand) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

const print = (text: string, field: string, command: Command): void => {
  if (readGlobalOptions(command).json) console.log(JSON.stringify({ [field]: text }, null, 2))
  else process.stdout.write(text)
}

/** `berth completion | man`. */
export const addReferenceCommands = (program: Command): void => {
  const completion = program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(Object.keys(SHELLS)))
    .action((shell: string, _options, command: Command) => {
      print(SHELLS[shell]?.(commandTree(program)) ?? '', 'script', command)
    })
  withExamples(completion, [
    'source <(berth completion bash)',
    'berth completion bash > /etc/bash_completion.d/berth',
    'berth completion zsh > /usr/local/share/zsh/site-functions/_berth',
    'berth completion fish > ~/.config/fish/completions/berth.fish',
  ])

  const man = program
    .command('man')
    .description('print the manual page berth(1)')
    .option('--markdown', 'print the reference docs/cli.md instead')
    .action((options: { markdown?: boolean }, command: Command) => {
      const tree = commandTree(program)
      const text =
        options.markdown === true ? markdownReference(tree) : manPage(tree, productVersion())
      print(text, 'text', command)
    })
  withExamples(man, [
    'berth man | man -l -',
    'berth man > /usr/local/share/man/man1/berth.1',
    'berth man --markdown > docs/cli.md',
  ])
}
