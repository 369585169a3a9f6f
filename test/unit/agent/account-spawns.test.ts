import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** Call `asUser` without `limited`, and why what they start need not be in an account's group. */
const NOT_LIMITED: Readonly<Record<string, string>> = {
  'adapters/node/supervisor/create-children.ts': 'the children of the supervisor',
  'adapters/node/agent/accounts/end-processes.ts':
    'ends the processes, also where the group is full',
  'adapters/node/agent/accounts/remove-leftovers.ts': 'short, after the last process has ended',
  'adapters/node/agent/certificates/dns/update-zone.ts': 'as nobody',
  'adapters/node/agent/databases/drop-schema.ts': 'as the user of a database server',
  'adapters/node/agent/databases/mariadb/process.ts': 'as the user of a database server',
  'adapters/node/agent/databases/postgresql/process.ts': 'as the user of a database server',
  'adapters/node/agent/databases/server-process.ts': 'as the user of a database server',
  'adapters/node/agent/databases/socket-as-user.ts': 'as the user of a database server',
  'adapters/node/agent/hooks/run-hook.ts': 'hooks of the administrator',
  'adapters/node/agent/mail/mail-process.ts': 'the process for mail',
  'adapters/node/agent/sftp/users/hold-folder.ts': 'sleeps for a moment in a folder',
  'adapters/node/runtimes/node-versions.ts': 'asks a program its version, as nobody',
  'adapters/node/swap/access-of-web.ts': 'test(1) as the web server',
}
/** Become another user by themselves. */
const BY_THEMSELVES: Readonly<Record<string, string>> = {
  'adapters/node/process/as-user.ts': 'the one place',
  'adapters/node/agent/snapshots/repository/restic-process.ts': 'as berth-backup',
}

const files = readdirSync(join(ROOT, 'adapters/node'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `adapters/node/${name}`)
const found = (pattern: RegExp, unless?: RegExp): string[] =>
  files
    .filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return pattern.test(text) && !(unless?.test(text) ?? false)
    })
    .toSorted()

it('whatever runs as an account is started in its group, or it is said here why not', () => {
  const calls = found(/\basUser\(/, /\blimited\b/).filter((file) => !file.endsWith('/as-user.ts'))
  expect(calls).toEqual(Object.keys(NOT_LIMITED).toSorted())
})

it('nobody becomes another user past the one place', () => {
  expect(found(/--reuid|\bsetuid\(|\bsetgid\(/)).toEqual(Object.keys(BY_THEMSELVES).toSorted())
  // An option of spawn() that would do the same.
  expect(found(/\b(?:spawn|execFile|fork)\([^;]*?\buid:/)).toEqual([])
})
