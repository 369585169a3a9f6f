import { conflict, notFound, unavailable } from '#handlers/errors.ts'
import type { AppError } from '#handlers/errors.ts'
import { withoutPlaces } from '../../backups/remote/without-places.ts'

/** What restic says of a place where no repository is, for directories, S3 and SFTP; it has an exit code for it since 0.17 only. */
const NOTHING_THERE =
  /(?:config (?:file|data)[^\n]{0,400}(?:no such file|does not exist|not exist|NoSuchKey|file not found))|repository does not exist/i
const LOCKED = /already locked(?: exclusively)? by PID (\d+) on (\S+) by/

/** Whose lock is in the way; null: none is. */
export const lockHolder = (stderr: string): { pid: number; host: string } | null => {
  const [, pid, host] = LOCKED.exec(stderr) ?? []
  return host === undefined ? null : { pid: Number(pid), host }
}

export const isMissing = (code: number | null, stderr: string): boolean =>
  code === 10 || NOTHING_THERE.test(stderr)

export const isWrongKey = (code: number | null, stderr: string): boolean =>
  code === 12 || /wrong password or no key found/.test(stderr)

/** The lines that tell why, without restic's advice. */
const reasonOf = (stderr: string): string =>
  withoutPlaces(
    stderr
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^(?:\{|Save\(|Load\(|rclone)/.test(line))
      .slice(-3)
      .join(' '),
  )

/** A failed restic in words for people; `where` is e.g. `at "bucket"`. */
export const resticFailure = (where: string, code: number | null, stderr: string): AppError => {
  if (isMissing(code, stderr)) return notFound(`There are no snapshots of this account ${where}.`)
  if (isWrongKey(code, stderr))
    return conflict(
      `The snapshots ${where} are encrypted with a key that is not here. Lay the key of the host that made them beside own.key in agent/snapshot-keys of the state directory.`,
    )
  const holder = lockHolder(stderr)
  if (holder !== null)
    return conflict(
      `The snapshots ${where} are being worked on by process ${holder.pid} on ${holder.host}. Try again when that is done.`,
    )
  if (/no space left on device/i.test(stderr))
    return unavailable(`There is no room left for the snapshots ${where}.`)
  return unavailable(
    `restic failed ${where} (exit code ${code ?? 'none'}): ${reasonOf(stderr)}. See the agent log.`,
    new Error(stderr.slice(-4000)),
  )
}
