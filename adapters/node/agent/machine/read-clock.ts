import { existsSync } from 'node:fs'
import type { MachineClock } from '#handlers/ports/host/machine.ts'
import { runCommand } from '../../process/run-command.ts'

type Synchronised = Pick<MachineClock, 'synchronised' | 'source'>

/** Of `timedatectl show`. */
export const fromTimedatectl = (output: string): Synchronised | null => {
  const value = /^NTPSynchronized=(yes|no)$/m.exec(output)?.[1]
  if (value === undefined) return null
  const service = /^NTP=yes$/m.test(output) ? 'a time service is on' : 'no time service is on'
  return { synchronised: value === 'yes', source: `timedatectl: ${service}` }
}

/** Of `chronyc -c tracking`: the last of its fields is the leap status. */
export const fromChrony = (output: string): Synchronised | null => {
  const fields = output.trim().split(',')
  const leap = fields.at(-1)
  if (fields.length < 10 || leap === undefined) return null
  return { synchronised: leap !== 'Not synchronised', source: `chrony: ${leap}` }
}

const QUICK = { timeoutMs: 1000, maxOutputBytes: 64 * 1024 }

const ask = async (program: string, args: readonly string[]): Promise<string> =>
  runCommand(program, args, QUICK).then(
    ({ code, stdout }) => (code === 0 ? stdout : ''),
    () => '',
  )

/** Whether the clock is kept right, by whoever can be asked. */
export const readSynchronised = async (): Promise<Synchronised> => {
  // Without systemd its program waits for a bus that never comes.
  if (existsSync('/run/systemd/system')) {
    const found = fromTimedatectl(
      await ask('timedatectl', ['show', '--property=NTPSynchronized', '--property=NTP']),
    )
    if (found !== null) return found
  }
  if (existsSync('/usr/bin/chronyc')) {
    const found = fromChrony(await ask('/usr/bin/chronyc', ['-c', 'tracking']))
    if (found !== null) return found
  }
  return {
    synchronised: null,
    source:
      'neither systemd nor chrony can be asked here whether the clock is kept right; in a container the host keeps it',
  }
}
