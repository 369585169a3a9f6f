import { chmodSync, mkdirSync, readFileSync, rmSync, existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { APPLICATION_RULES } from '#handlers/domain/applications/application-rules.ts'
import { invalid } from '#handlers/errors.ts'
import type { KeyRepository, SftpLoginKey } from '#handlers/ports/host/sftp.ts'
import { SHELL_COMMAND } from '../../sshd/render-drop-in.ts'
import { writeWhole } from '../../layout/write-whole.ts'
import type { HostAccount } from '../accounts/account-host.ts'

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/

/** Of tunnel devices, as ssh(1) numbers them. */
const MOST = 0x7fff_fffd

/** How lines are written. */
export interface LineOptions {
  /** They open a shell. */
  terminal?: boolean
  /** sshd forces none of its own, so the key says what is run; with its repository, if it opens one alone. */
  command?: boolean
}

/** `repository`: it opens that alone. */
type LoginKey = SftpLoginKey & { repository?: KeyRepository }

const commandOf = ({ repository }: LoginKey): string => {
  if (repository === undefined) return SHELL_COMMAND
  const { name, access } = repository
  if (!APPLICATION_RULES.name.test(name) || (access !== 'pull' && access !== 'push'))
    throw invalid('keys', 'A key opens no repository of that name.')
  return `${SHELL_COMMAND} ${access} ${name}`
}

/**
 * `tunnel` stands for the key's number: it is the one option that carries one, and sshd says
 * which options hold for who came in (`read-message.ts`). No tunnel is ever made by it.
 */
const lineOf = (login: LoginKey, { terminal = false, command = false }: LineOptions): string => {
  const { id, publicKey, expiresAt, repository } = login
  if (!Number.isInteger(id) || id < 0 || id > MOST) throw invalid('keys', 'A key has no number.')
  // It would open everything.
  if (repository !== undefined && !command)
    throw invalid('keys', 'A key for a repository has no command.')
  const run = command ? `,command="${commandOf(login)}"` : ''
  const options = `restrict,${terminal ? 'pty,' : ''}tunnel="${id}"${run}`
  const key = parsePublicKey(publicKey)
  // Checked by the panel; a line of this file may open an account to anybody.
  if ('fault' in key) throw invalid('keys', `A key ${key.fault}`)
  if (expiresAt === null) return `${options} ${key.text}\n`
  const parts = TIMESTAMP.exec(expiresAt)
  if (parts === null) throw invalid('keys', 'The end of a key must be a time in UTC.')
  return `${options},expiry-time="${parts.slice(1).join('')}Z" ${key.text}\n`
}

/** The keys of accounts as sshd reads them, in places of root. */
export interface KeyFiles {
  /** Replaces the keys of an account; they count while it is not `held`. */
  write(
    account: Pick<HostAccount, 'username' | 'gid'>,
    keys: readonly LoginKey[],
    held: boolean,
    options?: LineOptions,
  ): void
  /** How many of these the files do not have, and how many other lines they have; as `write`. */
  differences(
    account: Pick<HostAccount, 'username'>,
    keys: readonly LoginKey[],
    held: boolean,
    options?: LineOptions,
  ): { missing: number; unknown: number }
  /** They no longer count, until `release`. */
  hold(username: string): void
  release(username: string): void
  forget(username: string): void
}

/** `keys` is where sshd looks; beside it lie those of suspended accounts. */
export const createKeyFiles = (keys: string): KeyFiles => {
  const held = `${keys}-held`
  const prepare = (): void => {
    for (const [place, mode] of [
      [dirname(keys), 0o711],
      [keys, 0o711],
      [held, 0o700],
    ] as const) {
      mkdirSync(place, { recursive: true, mode })
      chmodSync(place, mode)
    }
  }
  const move = (from: string, to: string): void => {
    if (existsSync(from)) renameSync(from, to)
  }
  const linesOf = (path: string): string[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : []
  return {
    differences({ username }, wanted, isHeld, options = {}) {
      const lines = new Set(wanted.map((key) => lineOf(key, options).trimEnd()))
      const open = linesOf(join(keys, username))
      const there = new Set(isHeld ? linesOf(join(held, username)) : open)
      // What lies open of a suspended account would let somebody in.
      const beside = isHeld ? open : []
      return {
        missing: [...lines].filter((line) => !there.has(line)).length,
        unknown: [...there].filter((line) => !lines.has(line)).length + beside.length,
      }
    },
    write({ username, gid }, wanted, isHeld, options = {}) {
      const content = wanted.map((key) => lineOf(key, options)).join('')
      prepare()
      const [place, other] = isHeld ? [held, keys] : [keys, held]
      // sshd reads it as the account, which may not change it.
      if (content === '') rmSync(join(place, username), { force: true })
      else writeWhole(join(place, username), content, { mode: 0o640, owner: { uid: 0, gid } })
      rmSync(join(other, username), { force: true })
    },
    hold(username) {
      prepare()
      move(join(keys, username), join(held, username))
    },
    release(username) {
      prepare()
      move(join(held, username), join(keys, username))
    },
    forget(username) {
      for (const place of [keys, held]) rmSync(join(place, username), { force: true })
    },
  }
}
