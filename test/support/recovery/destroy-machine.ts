import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { addCompiledSources, addDatabases } from '../instance-templates.ts'
import type { Instance } from '../instance-types.ts'

const usersBelow = (dir: string): string[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((row) => row[5]?.startsWith(`${dir}/`))
    .map(([name = '']) => name)

/** Ends what was started with paths of the instance, e.g. a database server of a killed import. */
const endProcesses = (dir: string): void => {
  for (const pid of readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  ))
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${dir}/`))
        process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
}

/**
 * Ends an instance and takes everything away that it had but its configuration: users,
 * homes, records, secrets, databases. What is left is a machine on which Berth was just
 * installed; `startAgain` starts it.
 */
export const destroyMachine = async (instance: Instance): Promise<void> => {
  const { paths, file, hooks } = instance.config
  const dir = join(file, '..')
  await instance.stop({ keep: true })
  endProcesses(dir)
  for (const name of usersBelow(dir)) {
    await runCommand('/usr/sbin/userdel', ['--force', '--', name])
    await runCommand('/usr/sbin/groupdel', ['--', name])
    rmSync(join('/var/spool/cron/crontabs', name), { force: true })
  }
  for (const path of [
    paths.state_dir,
    paths.home_base,
    paths.run_dir,
    paths.log_dir,
    hooks.directory,
    `${hooks.directory}.off`,
  ])
    rmSync(path, { recursive: true, force: true })
  mkdirSync(paths.state_dir, { mode: 0o755 })
  addCompiledSources(paths.state_dir)
  await addDatabases(paths.state_dir)
}
