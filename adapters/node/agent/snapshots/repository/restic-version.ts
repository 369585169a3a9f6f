import { access } from 'node:fs/promises'
import { unavailable } from '#handlers/errors.ts'
import { runCommand } from '../../../process/run-command.ts'
import { RESTIC } from './restic-process.ts'

/** Version of restic, e.g. `0.14.0`; null where it is not installed. */
export const versionOf = async (): Promise<string | null> => {
  if (
    !(await access(RESTIC).then(
      () => true,
      () => false,
    ))
  )
    return null
  const { stdout } = await runCommand(RESTIC, ['version'])
  return /^restic (\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null
}

/** Throws 503 where restic is not installed. */
export const requireEngine = async (): Promise<void> => {
  if ((await versionOf()) !== null) return
  throw unavailable(
    'restic is not installed, which snapshots are made with. Install it: apt-get install restic openssh-client',
  )
}
