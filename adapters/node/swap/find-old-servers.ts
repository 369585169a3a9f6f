import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { nginxTokens } from '#handlers/domain/legacy/nginx/nginx-tokens.ts'
import { identifyProcess } from '../process/process-identity.ts'
import { runCommand } from '../process/run-command.ts'
import { listeningOf } from './listening-of.ts'
import { parseApacheCommand, parseNginxTitle, type ServerCommand } from './parse-command.ts'
import type { OldServer } from './swap-types.ts'

const KINDS: Readonly<Record<string, OldServer['kind']>> = {
  apache2: 'apache',
  httpd: 'apache',
  nginx: 'nginx',
}

/** What a file says, of /proc or else; null when it is gone or may not be looked at. */
const look = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const programOf = (pid: number): string | null =>
  // A program that an upgrade replaced is named so until it is started again.
  look(() => readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''))

const parentOf = (pid: number): number => {
  const stat = look(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? ''
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** Servers of containers have files and ports of their own. */
const isOfThisMachine = (pid: number): boolean =>
  ['mnt', 'net'].every(
    (name) =>
      look(() => readlinkSync(`/proc/${pid}/ns/${name}`)) ===
      look(() => readlinkSync(`/proc/self/ns/${name}`)),
  )

const environOf = (pid: number): Record<string, string> =>
  Object.fromEntries(
    (look(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '')
      .split('\0')
      .filter((entry) => /^(APACHE|HTTPD)\w*=/.test(entry))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )

/** Its unit, by the control group that systemd put it into. */
const unitOf = (pid: number): string | null => {
  const group = look(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? ''
  return /\/([\w@.:\\-]+\.service)$/m.exec(group)?.[1] ?? null
}

/** Where a program looks when its command line does not say: its own word. */
const builtIn = async (
  kind: OldServer['kind'],
  program: string,
): Promise<{ base: string; config: string }> => {
  const { stdout, stderr } = await runCommand(program, ['-V'])
  const text = `${stdout}\n${stderr}`
  const find = (pattern: RegExp, fallback: string): string => pattern.exec(text)?.[1] ?? fallback
  return kind === 'apache'
    ? {
        base: find(/HTTPD_ROOT="([^"]+)"/, '/etc/apache2'),
        config: find(/SERVER_CONFIG_FILE="([^"]+)"/, 'apache2.conf'),
      }
    : {
        base: find(/--prefix=(\S+)/, '/usr/share/nginx'),
        config: find(/--conf-path=(\S+)/, '/etc/nginx/nginx.conf'),
      }
}

const commandOf = (kind: OldServer['kind'], pid: number): ServerCommand | null => {
  const line = look(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  if (line === null) return null
  const words = trimEndOf(line, '\0').split('\0')
  return kind === 'apache' ? parseApacheCommand(words.slice(1)) : parseNginxTitle(words.join(' '))
}

/** Whether a main file of nginx says `daemon off;`. */
const isDaemonOff = (configFile: string): boolean => {
  const tokens = look(() => nginxTokens(configFile, readFileSync(configFile, 'utf8'))) ?? []
  const words = tokens.map((token) => (token.kind === 'word' ? token.text : token.kind))
  return words.some((word, at) => word === 'daemon' && words[at + 1] === 'off')
}

const readServer = async (
  kind: OldServer['kind'],
  program: string,
  pid: number,
  hasSystemd: boolean,
): Promise<OldServer | null> => {
  const command = commandOf(kind, pid)
  const identity = identifyProcess(pid)
  if (command === null || identity === null) return null
  const given = await builtIn(kind, program)
  const root = command.base ?? given.base
  const configFile = resolve(root, command.config ?? given.config)
  return {
    kind,
    program,
    process: identity,
    startArgs: command.startArgs,
    configArgs: command.configArgs,
    env: kind === 'apache' ? environOf(pid) : {},
    configFile,
    // nginx includes relative to its main file, Apache to its server root.
    base: kind === 'apache' ? root : dirname(configFile),
    listening: listeningOf(pid),
    unit: hasSystemd ? unitOf(pid) : null,
    foreground: command.foreground || (kind === 'nginx' && isDaemonOff(configFile)),
  }
}

/** The master processes of Apache httpd and nginx that run on this machine, outside of containers. */
export const findOldServers = async (hasSystemd: boolean): Promise<OldServer[]> => {
  const found: OldServer[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const program = programOf(pid)
    const kind = program === null ? undefined : KINDS[basename(program)]
    if (program === null || kind === undefined || !isOfThisMachine(pid)) continue
    if (programOf(parentOf(pid)) === program) continue // a worker
    const server = await readServer(kind, program, pid, hasSystemd)
    if (server !== null) found.push(server)
  }
  return found
}
