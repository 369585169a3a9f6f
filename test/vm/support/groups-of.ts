import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'

const ID = createHash('sha256').update('/var/lib/berth').digest('hex').slice(0, 8)

/** The slice of an account, or of its programs or helpers. */
export const sliceOf = (uid: number, kind?: 'programs' | 'helpers'): string =>
  `berth-${ID}-${uid}${kind === undefined ? '' : `-${kind}`}.slice`

/** The unified group of each process of a user; those that ended while we looked are left out. */
export const groupsOf = (uid: number): string[] =>
  findProcesses((one) => one.uid === uid).flatMap(({ pid }) => {
    try {
      const [, group] = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? []
      return group === undefined ? [] : [group]
    } catch {
      return []
    }
  })

/** Properties of a unit of systemd by their names. */
export const propertiesOf = async (
  unit: string,
  ...names: string[]
): Promise<Record<string, string>> => {
  const { stdout } = await mustRun('/usr/bin/systemctl', [
    ...['show', `--property=${names.join(',')}`, '--', unit],
  ])
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}
