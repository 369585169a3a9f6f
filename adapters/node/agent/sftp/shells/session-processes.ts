import { readFileSync, readlinkSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'

/** A process of an account in the room of its shell. */
export interface SessionProcess {
  pid: number
  parent: number
  /** Whether it is sshd's own, for a connection that is open. */
  serves: boolean
  /** How long it has run on a processor, in nanoseconds. */
  ranNs: number
}

/** Called sshd-session from OpenSSH 9.8 on. */
const SERVERS = ['sshd', 'sshd-session']
const MOST_DEPTH = 10_000

const isServer = (pid: number): boolean => {
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
    return SERVERS.includes(basename(program))
  } catch {
    return false
  }
}

const read = (status: string) => {
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1]
  if (uid === undefined || parent === undefined || /^State:\s+[ZX]/m.test(status)) return null
  return { uid: Number(uid), parent: Number(parent) }
}

/** Whether it is sshd's process for a connection of that user: a child of one of root's. An account can start an sshd, too. */
export const isConnectionOf = (uid: number, pid: number): boolean => {
  const statusOf = (of: number) => read(readFileSync(`/proc/${of}/status`, 'utf8'))
  try {
    const own = statusOf(pid)
    if (own?.uid !== uid || !isServer(pid) || !isServer(own.parent)) return false
    return statusOf(own.parent)?.uid === 0
  } catch {
    return false
  }
}

/** The number and device of a directory. */
export const placeOf = async (path: string): Promise<string | null> => {
  const found = await stat(path).catch(() => null)
  return found === null ? null : `${found.dev}:${found.ino}`
}

/** Living processes of that user whose root directory is that one. */
export const processesIn = async (uid: number, root: string): Promise<SessionProcess[]> => {
  const place = await placeOf(root)
  if (place === null) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid): Promise<SessionProcess | null> => {
      const status = read(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))
      if (status?.uid !== uid || (await placeOf(`/proc/${pid}/root/`)) !== place) return null
      const ran = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0')
      const { parent } = status
      return { pid, parent, serves: isConnectionOf(uid, pid), ranNs: Number(ran.split(' ')[0]) }
    }),
  )
  return found.filter((one) => one !== null)
}

/** Those that no connection has below it any more. */
export const leftBehind = (processes: readonly SessionProcess[]): number[] => {
  const all = new Map(processes.map((one) => [one.pid, one]))
  const belongs = ({ pid }: SessionProcess): boolean => {
    let at = all.get(pid)
    for (let depth = 0; at !== undefined && depth < MOST_DEPTH; depth += 1) {
      if (at.serves) return true
      at = all.get(at.parent)
    }
    return false
  }
  return processes.filter((one) => !belongs(one)).map(({ pid }) => pid)
}
