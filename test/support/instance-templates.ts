import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { chmod, cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { madeOnce, testCache } from './test-cache.ts'

/** Below the state directory, as the supervisor makes them. */
const COMPILED = 'compile-cache'
const MARIADB = 'databases/mariadb'

const keptSources = (): string => join(testCache('instance'), 'compiled')

/**
 * Gives a new instance what its processes would compile of the product's sources, as
 * an earlier instance left it: a start without takes three times the processor. Sources
 * are known by their content, so what is old does no harm.
 */
export const addCompiledSources = (stateDir: string): void => {
  if (existsSync(keptSources()))
    cpSync(keptSources(), join(stateDir, COMPILED), { recursive: true })
}

/** Keeps the compiled sources of an instance that has stopped, unless another's are kept. */
export const keepCompiledSources = async (stateDir: string): Promise<void> => {
  const made = join(stateDir, COMPILED)
  const whole = ['supervisor', 'agent', 'panel', 'web'].every(
    (name) => existsSync(join(made, name)) && readdirSync(join(made, name)).length > 0,
  )
  if (!whole || existsSync(keptSources())) return
  await madeOnce(keptSources(), async (work) => {
    await cp(made, work, { recursive: true })
    // Read by every instance's users, written by none.
    await mustRun('chown', ['-R', 'root:root', '--', work])
    await mustRun('chmod', ['-R', 'a+rX', '--', work])
  })
}

/** Gives a new instance a fresh MariaDB data directory: making one takes seconds. */
export const addDatabases = async (stateDir: string): Promise<void> => {
  if (!existsSync('/usr/bin/mariadb-install-db')) return
  const kept = await madeOnce(join(testCache('instance'), 'mariadb'), async (work) => {
    // Its owner enters it, and makes the directory that is renamed.
    await mustRun('chown', ['mysql:mysql', '--', work])
    await mustRun('setpriv', [
      ...['--reuid=mysql', '--regid=mysql', '--clear-groups', '--', 'mariadb-install-db'],
      ...['--no-defaults', `--datadir=${work}`, '--auth-root-authentication-method=socket'],
      ...['--auth-root-socket-user=root', '--skip-test-db', '--innodb-log-file-size=32M'],
    ])
    await rm(join(work, 'ibtmp1'), { force: true })
  })
  const target = join(stateDir, MARIADB)
  mkdirSync(join(target, '..'), { recursive: true })
  await chmod(join(target, '..'), 0o711)
  await mustRun('cp', ['-a', '--reflink=auto', '--', kept, target])
  await chmod(target, 0o700)
}
