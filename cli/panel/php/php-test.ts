import type { z } from 'zod'
import type { phpTestSchema, phpVersionSchema } from '#handlers/panel/php/schema.ts'
import { CliError } from '../../cli-error.ts'
import { createProgress } from '../../terminal/progress.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known, knownRows } from '../frame/known.ts'
import { printRows } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'

type Version = z.output<typeof phpVersionSchema>
type Tested = z.output<typeof phpTestSchema>

const milliseconds = (value: number | null): string | null =>
  value === null ? null : `${value.toFixed(1)} ms`

/** `berth php test`. */
export const phpTest: CommandSpec = {
  summary: 'run a script through every installed version and mode, and show how long it took',
  note: "Each is started apart, in a directory of its own, and taken away again: no site, and nothing in a home, is touched. Without --account the script runs as a user who owns nothing, with it as the account's. Exit code 1 when one fails.",
  options: [
    ['--php-version <version>', 'only this version, such as 8.3'],
    ['--mode <mode>', 'only this mode', { choices: ['fpm', 'cgi', 'lsapi'] }],
    ['--account <account>', "username or number: run it with this account's rights"],
  ],
  examples: ['berth php test', 'berth php test --php-version 8.3 --mode fpm --account alice'],
  async run({ panel, options, print }) {
    const [version, mode, name] = ['phpVersion', 'mode', 'account'].map((key) => options.text(key))
    const account = name === undefined ? undefined : (await findAccount(panel, name)).id
    const installed = knownRows<Version>(
      await panel.call('GET', '/api/php/versions'),
      'version',
      'sapis',
    )
    const wanted = installed
      .filter((one) => version === undefined || one.version === version)
      .flatMap((one) =>
        one.sapis
          .filter((sapi) => mode === undefined || sapi === mode)
          .map((sapi) => ({ version: one.version, mode: sapi })),
      )
    if (wanted.length === 0)
      throw new CliError(
        `There is nothing to test. Installed: ${
          installed.map((one) => `${one.version} (${one.sapis.join(', ')})`).join(', ') || 'no PHP'
        }.`,
      )
    const progress = createProgress()
    const rows: Tested[] = []
    try {
      for (const one of wanted) {
        progress.show((rows.length / wanted.length) * 100, `PHP ${one.version} ${one.mode}`)
        const body = given({ ...one, account_id: account })
        rows.push(known<Tested>(await panel.call('POST', '/api/php/test', { body }), 'ok'))
      }
    } finally {
      progress.clear()
    }
    print(rows, () =>
      printRows<Tested>(
        rows,
        [
          ['VERSION', 'version', null, (row) => row.php_version ?? row.version],
          ['MODE', 'mode'],
          ['RESULT', 'ok', 'state', ({ ok }) => (ok ? 'ok' : 'failed')],
          ['START', 'start_ms', 'right', (row) => milliseconds(row.start_ms)],
          ['FIRST', 'first_ms', 'right', (row) => milliseconds(row.first_ms)],
          ['AGAIN', 'again_ms', 'right', (row) => milliseconds(row.again_ms)],
          ['SAPI', 'sapi'],
          ['UID', 'uid', 'right'],
          ['ERROR', 'error'],
        ],
        '',
      ),
    )
    if (rows.some(({ ok }) => !ok)) process.exitCode = 1
  },
}
