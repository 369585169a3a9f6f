import { z } from 'zod'
import { CliError } from '../../cli-error.ts'
import { printTable } from '../../terminal/print-table.ts'
import { createProgress } from '../../terminal/progress.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-spec.ts'
import { findAccount } from '../frame/lookup.ts'

const versions = z.array(z.object({ version: z.string(), sapis: z.array(z.string()) }))
const rowSchema = z.object({
  version: z.string(),
  mode: z.string(),
  ok: z.boolean(),
  start_ms: z.number().nullable(),
  first_ms: z.number().nullable(),
  again_ms: z.number().nullable(),
  php_version: z.string().nullable(),
  sapi: z.string().nullable(),
  uid: z.number().nullable(),
  error: z.string().nullable(),
})

const milliseconds = (value: number | null): string | null =>
  value === null ? null : `${value.toFixed(1)} ms`

/** `berth php test`. */
export const phpTest: CommandSpec = {
  name: 'test',
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
    const installed = versions.parse(await panel.call('GET', '/api/php/versions'))
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
    const rows: z.infer<typeof rowSchema>[] = []
    try {
      for (const one of wanted) {
        progress.show((rows.length / wanted.length) * 100, `PHP ${one.version} ${one.mode}`)
        const body = given({ ...one, account_id: account })
        rows.push(rowSchema.parse(await panel.call('POST', '/api/php/test', { body })))
      }
    } finally {
      progress.clear()
    }
    print(rows, () =>
      printTable(
        rows,
        [
          { title: 'VERSION', value: (row) => row.php_version ?? row.version },
          { title: 'MODE', value: (row) => row.mode },
          { title: 'RESULT', value: ({ ok }) => (ok ? 'ok' : 'failed'), state: true },
          { title: 'START', value: (row) => milliseconds(row.start_ms), right: true },
          { title: 'FIRST', value: (row) => milliseconds(row.first_ms), right: true },
          { title: 'AGAIN', value: (row) => milliseconds(row.again_ms), right: true },
          { title: 'SAPI', value: ({ sapi }) => sapi },
          { title: 'UID', value: ({ uid }) => uid, right: true },
          { title: 'ERROR', value: ({ error }) => error },
        ],
        '',
      ),
    )
    if (rows.some(({ ok }) => !ok)) process.exitCode = 1
  },
}
