import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { loadConfig } from '../config/load-config.ts'
import type { AdminCommand } from '../panel/admin-command.ts'
import { runAdminCommand } from '../panel/admin-command.ts'
import { createStoreClock } from '../panel/store-clock.ts'
import { becomeOwner } from '../panel/become-owner.ts'
import { createArgon2Passwords } from '../store/argon2-passwords.ts'
import { openPanelStore, panelFile } from '../store/open-panel-store.ts'

/** Entry of `berth admin`: the command in argv, the password on standard input. */
const { values } = parseArgs({
  options: {
    config: { type: 'string', default: '' },
    action: { type: 'string', default: '' },
    username: { type: 'string', default: '' },
    'remove-second-factor': { type: 'boolean', default: false },
  },
})

const run = async (): Promise<string> => {
  process.umask(0o077)
  const loaded = await loadConfig(values.config)
  if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  // Native code is loaded while whatever directory it lies in can still be read.
  new Database(':memory:').close()
  const passwords = createArgon2Passwords()
  const directory = join(loaded.config.paths.state_dir, 'panel')
  becomeOwner(directory)
  const file = panelFile(loaded.config)
  if (loaded.config.panel.store === null && !existsSync(file)) {
    throw new Error(`There is no ${file}. Start Berth once with npm start, then try again.`)
  }
  const { store, close } = await openPanelStore(loaded.config)
  try {
    // Panels on other machines compare what is written here by the store's time.
    const clock = createStoreClock(store)
    await clock.ask()
    return await runAdminCommand(
      { store, passwords, clock },
      {
        action: values.action as AdminCommand['action'],
        username: values.username,
        password,
        removeSecondFactor: values['remove-second-factor'],
      },
    )
  } finally {
    await close()
  }
}

run().then(
  (done) => process.stdout.write(`${done}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  },
)
