import { setTimeout as pause } from 'node:timers/promises'
import { addedText } from '#handlers/domain/text/added-text.ts'
import { printable } from '../../terminal/printable.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { ACCOUNT } from '../frame/lookup.ts'
import { apiPath } from '../frame/panel-client.ts'
import { findApplication, NAME } from './find-application.ts'

const PAUSE_MS = 1000

/** Text of programs, without what a terminal would obey. */
export const readableText = (text: string): string => text.split('\n').map(printable).join('\n')

const write = (text: string): void => void process.stdout.write(readableText(text))

/** `berth app log`. */
export const logCommand: CommandSpec = {
  summary: 'show what an application wrote last',
  args: [ACCOUNT, NAME],
  options: [['--follow', 'go on with what it writes, until Ctrl+C']],
  examples: ['berth app log alice shop', 'berth app log alice shop --follow'],
  async run({ panel, args: [account, name], options, print }) {
    const { account_id } = await findApplication(panel, account, name)
    const path = apiPath`/api/applications/${account_id}/${name}/log`
    const read = async () => known<{ text: string }>(await panel.call('GET', path), 'text').text
    let shown = await read()
    if (!options.isOn('follow')) {
      print({ text: shown }, () =>
        write(shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`),
      )
      return
    }
    write(shown)
    for (;;) {
      await pause(PAUSE_MS)
      const now = await read()
      write(addedText(shown, now))
      shown = now
    }
  },
}
