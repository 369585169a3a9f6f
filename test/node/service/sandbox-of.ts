import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CAPABILITIES, SYSTEM_CALLS, writablePaths } from '#adapters/node/service/render-unit.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

const HEADERS = [
  '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  '/usr/include/asm-generic/unistd.h',
]

/** Numbers of this machine's system calls. */
const callNumbers = (): Map<string, string> => {
  const header = HEADERS.find((file) => existsSync(file)) ?? ''
  const found = readFileSync(header, 'utf8').matchAll(/^#define __NR_(\w+) (\d+)$/gm)
  return new Map(Array.from(found, ([, name = '', number = '']) => [name, number]))
}

/** The calls of a group, and of the groups in it, as systemd knows them. */
export const callsOf = (group: string): string[] => {
  const text = execFileSync('/usr/bin/systemd-analyze', ['syscall-filter', '--no-pager', group], {
    encoding: 'utf8',
  })
  const names = text
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  return names.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]))
}

/**
 * Words before a command line that give it what the unit gives the service:
 * its capabilities, no new privileges, its system calls, a file system that is
 * read-only but for its paths.
 */
export const sandboxOf = (config: ServerConfig): string[] => {
  const numbers = callNumbers()
  const calls = SYSTEM_CALLS.flatMap(callsOf)
    .map((name) => numbers.get(name))
    .filter((number) => number !== undefined)
  const { made, given } = writablePaths(config)
  const kept = CAPABILITIES.map((name) => `+${name.slice('CAP_'.length).toLowerCase()}`)
  return [
    '/usr/bin/unshare',
    ...['--mount', '--propagation', 'private', '--'],
    ...['/usr/bin/perl', join(import.meta.dirname, 'sandbox.pl')],
    [numbers.get('prctl'), ...new Set(calls)].join(','),
    [...made, ...given].join(','),
    '--',
    '/usr/bin/setpriv',
    ...[`--bounding-set=-all,${kept.join(',')}`, '--inh-caps=-all', '--'],
  ]
}
