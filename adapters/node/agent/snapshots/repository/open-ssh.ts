import { randomBytes } from 'node:crypto'
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { unavailable } from '#handlers/errors.ts'
import type { ResolvedTarget } from '../../backups/remote/open-target.ts'
import { readPinnedKey, typeOfKey } from '../../backups/remote/sftp-connect.ts'
import type { RunAs } from '../../../process/as-user.ts'
import { checkTarget } from './check-target.ts'

const CONNECT_SECONDS = 20
/** The name under which the pinned key is known, whatever the address. */
const ALIAS = 'target'

/** ssh for restic: the key of the server, ours and a password in files of who runs it; words of the command have no blanks. */
export const openSsh = async (
  deps: { privateDirectory: string; user: RunAs | null },
  { target, secret, address: at }: ResolvedTarget,
): Promise<{ command: string; env: Record<string, string>; close: () => Promise<void> }> => {
  const { name } = target
  const username = target.username ?? ''
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/.test(username))
    throw unavailable(`The backup target "${name}" has a username that ssh does not take.`)
  if (at === null) throw unavailable(`The backup target "${name}" has no usable address.`)
  const { reach } = target
  const address = await checkTarget(name, at.host, reach)
  // Before anything is said to it; what ssh connects to then is this very address.
  const key = await readPinnedKey({ ...at, host: address, reach }, target.host_key ?? '').catch(
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw unavailable(`The backup target "${name}" failed: ${why}.`, error)
    },
  )
  const directory = path.join(deps.privateDirectory, `ssh-${randomBytes(16).toString('hex')}`)
  const close = (): Promise<void> => rm(directory, { recursive: true, force: true })
  const put = async (file: string, content: string, mode = 0o600): Promise<string> => {
    const full = path.join(directory, file)
    await writeFile(full, content, { flag: 'wx', mode })
    if (deps.user !== null) await chown(full, deps.user.uid, deps.user.gid)
    return full
  }
  try {
    await mkdir(directory, { mode: 0o700 })
    if (deps.user !== null) await chown(directory, deps.user.uid, deps.user.gid)
    const type = typeOfKey(key)
    const known = await put('known_hosts', `${ALIAS} ${type} ${key.toString('base64')}\n`)
    // The server has keys of several kinds; the pinned one is asked for.
    const algorithms = type === 'ssh-rsa' ? 'rsa-sha2-512,rsa-sha2-256' : type
    const options = [
      'StrictHostKeyChecking=yes',
      `UserKnownHostsFile=${known}`,
      'GlobalKnownHostsFile=none',
      `HostKeyAlias=${ALIAS}`,
      `HostKeyAlgorithms=${algorithms}`,
      'ServerAliveInterval=60',
      `ConnectTimeout=${CONNECT_SECONDS}`,
      'IdentityAgent=none',
      'ForwardAgent=no',
      'ControlPath=none',
    ]
    let env: Record<string, string> = {}
    if (secret.kind === 'private_key') {
      const identity = await put('key', secret.value)
      options.push('BatchMode=yes', 'IdentitiesOnly=yes', `IdentityFile=${identity}`)
    } else {
      const password = await put('password', `${secret.value}\n`)
      const ask = await put('ask', `#!/bin/sh\nexec /bin/cat -- '${password}'\n`, 0o700)
      env = { SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: 'force' }
      options.push(
        'PreferredAuthentications=password,keyboard-interactive',
        'PubkeyAuthentication=no',
        'NumberOfPasswordPrompts=1',
      )
    }
    if (/[\s'"\\]/.test(directory))
      throw unavailable(`${directory} has a blank or a quote in it, which restic takes apart.`)
    const words = ['/usr/bin/ssh', '-F', 'none', '-p', String(at.port)]
    for (const option of options) words.push('-o', option)
    const command = [...words, '-l', username, address, '-s', 'sftp'].join(' ')
    return { command, env, close }
  } catch (error) {
    await close()
    throw error
  }
}
