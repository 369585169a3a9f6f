import { ServiceError } from '#adapters/node/service/service-error.ts'
import { SwapError } from '#adapters/node/swap/swap-error.ts'
import { SwapStore } from '#adapters/node/swap/swap-store.ts'
import { CliError } from './cli-error.ts'
import type { LocalCall, LocalSpec } from './panel/frame/command-types.ts'
import { withService } from './service/service-parts.ts'
import { chooseOldServer, sourceOf } from './swap/choose-old-server.ts'
import { configOnly, dryRun, revert, swap, type SwapContext } from './swap/swap-actions.ts'
import { readText } from './read-text.ts'
import { readAccepted } from './swap/read-accepted.ts'
import { planSwap } from './swap/swap-plan.ts'
import { printable } from './terminal/printable.ts'

const run = (call: LocalCall): Promise<void> =>
  withService(call, async ({ config, manager, systemctl, options, json }) => {
    const isOn = (name: string): boolean => options.isOn(name)
    const chosen = ['swap', 'revert', 'configOnly'].filter(isOn)
    if (chosen.length > 1)
      throw new CliError(
        'Give one of --swap, --revert and --config-only, or none for a dry run.',
        2,
      )
    const store = new SwapStore(config.paths.state_dir)
    const onStep = (text: string): void => console.error(printable(text))
    const paths = [...new Set(['/', ...(options.list('probe') ?? [])])]
    const odd = paths.find((path) => !/^\/[!-~]*$/.test(path))
    if (odd !== undefined)
      throw new CliError(`--probe ${printable(odd)} is no path. Write one such as /shop/.`, 2)
    const context: SwapContext = {
      parts: { store, service: manager, systemctl, onStep },
      file: config.file,
      json,
      makePlan: async () => {
        const swapped = store.read()
        const from =
          options.text('from') ??
          (swapped?.phase === 'swapped' ? swapped.old.configFile : undefined)
        const old = await chooseOldServer(from, config, systemctl !== null)
        return planSwap(config.file, sourceOf(old, from), old, paths)
      },
    }
    if (chosen.length === 0) return dryRun(context)
    const unlock = store.lock()
    try {
      if (isOn('swap')) {
        const accepted = options.text('accept')
        const accepts = readAccepted(accepted === undefined ? '' : readText(accepted))
        await swap(context, { loose: isOn('loose'), accepts })
      } else if (isOn('revert')) await revert(context)
      else await configOnly(context)
    } catch (error) {
      if (error instanceof SwapError || error instanceof ServiceError)
        throw new CliError(printable(error.message).replaceAll('\\u{a}', '\n'))
      throw error
    } finally {
      unlock()
    }
  })

/** `berth swap`. */
export const swapCommand: LocalSpec = {
  summary: 'put Berth into the place of the web server that runs (Apache httpd, nginx)',
  note: 'Before the swap every site is asked, and again after it. When one answers otherwise, or any step fails, Berth goes back by itself: the other server runs again with its very configuration. What was done is kept in <state_dir>/swap.',
  options: [
    ['--swap', 'do it; without it the plan is shown and nothing is changed'],
    ['--revert', 'go back to the other web server, also from a swap that was killed'],
    ['--config-only', 'only write its sites to the configuration'],
    [
      '--from <path>',
      "the other server's main file or directory; default: whoever holds our ports",
    ],
    ['--probe <path...>', 'paths to compare on every site besides /'],
    ['--loose', 'compare status and title, not the content'],
    [
      '--accept <file>',
      'differences that are known and wanted, as a swap that went back shows them; an address alone, or with * at its end, means all of them there',
    ],
  ],
  examples: [
    'berth swap',
    'berth swap --swap --probe /shop/ /login',
    'berth swap --revert',
    'berth swap --config-only --from /etc/apache2/apache2.conf',
  ],
  act: run,
}
