import { readFile } from 'node:fs/promises'
import { runCommand } from '../../process/run-command.ts'

/** A line of passwd(5). */
export interface PasswdEntry {
  name: string
  uid: number
  gid: number
  home: string
  shell: string
}

const GETENT = '/usr/bin/getent'
/** getent(1): the key was not found. */
const NOT_FOUND = 2

const ask = async (database: string, key: string): Promise<string | null> => {
  const { code, stdout, stderr } = await runCommand(GETENT, [database, '--', key])
  if (code === NOT_FOUND) return null
  if (code !== 0) throw new Error(`getent ${database} failed (${code}): ${stderr.trim()}`)
  return stdout
}

const toPasswd = (line: string): PasswdEntry | null => {
  const [name, , uid, gid, , home, shell] = line.trimEnd().split(':')
  if (name === undefined || home === undefined || shell === undefined) return null
  return { name, uid: Number(uid), gid: Number(gid), home, shell }
}

/** The user of that name from every source of nsswitch.conf, or null. `name` must be a checked name. */
export const osUser = async (name: string): Promise<PasswdEntry | null> => {
  const line = await ask('passwd', name)
  return line === null ? null : toPasswd(line)
}

/** Name of the user with that uid, or null. */
export const osUserName = async (uid: number): Promise<string | null> =>
  (await ask('passwd', String(uid)))?.split(':')[0] ?? null

/** The gid of the group of that name, or null. */
export const osGroupId = async (name: string): Promise<number | null> => {
  const line = await ask('group', name)
  const gid = line?.split(':')[2]
  return gid === undefined ? null : Number(gid)
}

/** Whether another group has this gid as well: groupadd(8) looks before it locks, so two at once both get it. */
export const isSharedGid = async (name: string, gid: number): Promise<boolean> =>
  (await runCommand(GETENT, ['group'])).stdout.split('\n').some((line) => {
    const [other, , id] = line.split(':')
    return other !== name && id === String(gid)
  })

/** Every uid and gid in the local files and what getent lists, so that a new id is nobody's. */
export const takenIds = async (): Promise<Set<number>> => {
  const texts = await Promise.all(
    ['passwd', 'group'].map(async (database) => (await runCommand(GETENT, [database])).stdout),
  )
  const ids = texts.flatMap((text) => text.split('\n').map((line) => Number(line.split(':')[2])))
  return new Set(ids.filter(Number.isInteger))
}

/** The password and expiry fields of shadow(5) for a local user, or null; `hash` without a lock. */
export const shadowEntry = async (
  name: string,
): Promise<{ locked: boolean; hash: string; expireDay: string } | null> => {
  const lines = (await readFile('/etc/shadow', 'utf8')).split('\n')
  const fields = lines.map((line) => line.split(':')).find(([user]) => user === name)
  if (!fields) return null
  const [, password = ''] = fields
  return {
    locked: password.startsWith('!'),
    hash: password.replace(/^!+/, ''),
    expireDay: fields[7] ?? '',
  }
}
