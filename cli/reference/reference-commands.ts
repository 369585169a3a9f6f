import { productVersion } from '#adapters/node/process/product-version.ts'
import type { LocalSpec } from '../panel/frame/command-types.ts'
import { bashCompletion } from './bash-completion.ts'
import type { TreeCommand } from './command-tree.ts'
import { fishCompletion } from './fish-completion.ts'
import { manPage } from './man-page.ts'
import { markdownReference } from './markdown.ts'
import { zshCompletion } from './zsh-completion.ts'

const SHELLS: Readonly<Record<string, (root: TreeCommand) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** What the installer puts onto a machine: the manual page, and the completion of each shell by its name. */
export const referenceTexts = (root: TreeCommand): Record<string, string> => ({
  man: manPage(root, productVersion()),
  ...Object.fromEntries(Object.entries(SHELLS).map(([shell, render]) => [shell, render(root)])),
})

/** `berth completion | man`; `root` is the tree that they describe. */
export const referenceCommands = (root: () => TreeCommand) => ({
  completion: {
    summary: 'print the completion script of a shell',
    args: [['<shell>', 'which one', { choices: Object.keys(SHELLS) }]],
    examples: [
      'source <(berth completion bash)',
      'berth completion bash > /etc/bash_completion.d/berth',
      'berth completion zsh > /usr/local/share/zsh/site-functions/_berth',
      'berth completion fish > ~/.config/fish/completions/berth.fish',
    ],
    act({ args: [shell = ''], print }) {
      const script = SHELLS[shell]?.(root()) ?? ''
      print({ script }, () => process.stdout.write(script))
    },
  } satisfies LocalSpec,
  man: {
    summary: 'print the manual page berth(1)',
    options: [['--markdown', 'print the reference docs/cli.md instead']],
    examples: [
      'berth man | man -l -',
      'berth man > /usr/local/share/man/man1/berth.1',
      'berth man --markdown > docs/cli.md',
    ],
    act({ options, print }) {
      const text = options.isOn('markdown')
        ? markdownReference(root())
        : manPage(root(), productVersion())
      print({ text }, () => process.stdout.write(text))
    },
  } satisfies LocalSpec,
})
