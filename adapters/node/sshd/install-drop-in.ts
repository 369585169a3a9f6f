import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { renderDropIn, renderHead, type SftpPlaces } from './render-drop-in.ts'
import { reloadSshd } from './reload-sshd.ts'
import { createSshdConfig, valuesOf, type SshdSettings } from './sshd-settings.ts'

export interface DropInOptions {
  sshd: string
  /** The machine's sshd_config; the drop-in lies in `sshd_config.d` beside it. */
  configFile: string
  places: SftpPlaces
  /** Whose it is: an installation's state directory. */
  owner: string
  /** Another port beside those that sshd has; 0: none. */
  port: number
  log: Log
}

const OF_LISTENERS = new Set(['port', 'listenaddress'])

const withoutListeners = (settings: SshdSettings): string =>
  settings
    .filter(([keyword]) => !OF_LISTENERS.has(keyword))
    .map((pair) => pair.join(' '))
    .sort()
    .join('\n')

/** Where another could write, sshd trusts nothing; null: that is nowhere. */
const openPlace = (path: string): string | null => {
  for (let place = path; ; place = dirname(place)) {
    const stat = existsSync(place) ? statSync(place) : null
    if (stat !== null && (stat.uid !== 0 || (stat.mode & 0o022) !== 0)) return place
    if (place === '/') return null
  }
}

/** Ours, beside the machine's configuration. */
export const dropInOf = (configFile: string): string =>
  join(dirname(configFile), 'sshd_config.d', 'berth.conf')

const read = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

const portsOf = (settings: SshdSettings): number[] => valuesOf(settings, 'port').map(Number)

/** Someone who is in no group of ours. */
const STRANGER = 'root'

/**
 * Puts our drop-in into the machine's configuration of sshd, or takes it out again where
 * sshd does not take it or would treat anybody else in another way than before. Answers
 * the settings that hold then; throws what is to be told to the administrator.
 */
export const installDropIn = async (options: DropInOptions): Promise<SshdSettings> => {
  const { configFile, places, owner, port } = options
  if (!existsSync(options.sshd) || !existsSync(configFile))
    throw new Error('There is no sshd on this host. Install it: apt-get install openssh-server')
  for (const place of [places.jails, places.keys, configFile]) {
    const open = openPlace(place)
    if (open !== null)
      throw new Error(`sshd needs ${open} to belong to root and to be writable by root alone.`)
  }
  const file = dropInOf(configFile)
  const before = read(file)
  if (before !== null && !lstatSync(file).isFile()) throw new Error(`${file} is not a file.`)
  if (before !== null && !before.startsWith(renderHead(owner)))
    throw new Error(`${file} belongs to another installation. SFTP is its matter.`)

  const config = createSshdConfig(options.sshd, configFile)
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  const write = (text: string): void => writeWhole(file, text, { mode: 0o644 })
  const render = (ports: readonly number[]): string => renderDropIn(places, owner, ports)
  try {
    // What holds without us; later on without our ports, since accounts must stay in their jails.
    write(before === null ? renderHead(owner) : render([]))
    const own = await config.settings(STRANGER)
    const ports = portsOf(own)
    const wanted = port === 0 || ports.includes(port) ? [] : [port]
    write(render(wanted))
    const fault = await config.fault()
    if (fault !== null) throw new Error(`sshd does not take ${file}: ${fault}`)
    // A port of one's own replaces the usual one where none is written down.
    const lost = ports.filter((one) => wanted.length > 0 && !wanted.includes(one))
    const kept = portsOf(await config.settings(STRANGER))
    const missing = lost.filter((one) => !kept.includes(one))
    if (missing.length > 0) write(render([...missing, ...wanted]))
    const now = await config.settings(STRANGER)
    const listens = valuesOf(now, 'listenaddress')
    if (
      withoutListeners(now) !== withoutListeners(own) ||
      valuesOf(own, 'listenaddress').some((address) => !listens.includes(address))
    )
      throw new Error(
        `${file} would change how others log in. Look whether ${configFile} includes it within a Match block.`,
      )
    if (port !== 0 && !listens.some((address) => address.endsWith(`:${port}`)))
      throw new Error(
        `sshd does not listen at port ${port}, since ListenAddress in ${configFile} names ports. Add it there.`,
      )
    // An sshd that was started since has read it by itself.
    const told = join(dirname(places.keys), 'told-sshd')
    const text = read(file) ?? ''
    if (read(told) !== text) {
      await reloadSshd(now, options.log)
      mkdirSync(dirname(told), { recursive: true, mode: 0o711 })
      writeWhole(told, text, { mode: 0o600 })
    }
    return now
  } catch (error) {
    if (before === null) rmSync(file, { force: true })
    else write(before)
    throw error
  }
}
