import { trimEndOf } from '../../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../../domain/config/config-types.ts'
import { rootOf } from '../../paths/resolve-path.ts'
import type { RuleRequest } from '../../rewrite/rule-request.ts'
import type { RuleFiles } from '../../rule-files.ts'
import type { FilePlace } from '../../site-files.ts'
import type { PasswordFile, Settings } from '../files/settings.ts'
import { groupsIn, hashIn } from './password-files.ts'

/** Who a request says it is, proved by a password. */
export interface Login {
  /** Null: nobody, or a wrong password. */
  user: string | null
  /** The password file cannot be read: nobody can log in. */
  broken?: boolean
  groups(): Promise<string[]>
}

const NOBODY: Login = { user: null, groups: async () => [] }
const MAX_FILE_BYTES = 1024 * 1024
/** bcrypt takes 72 bytes; nobody types more than this. */
const MAX_PASSWORD = 256

/** Name and password of `Authorization: Basic` (RFC 7617); null without. */
export const basicCredentials = (headers: Headers): [user: string, password: string] | null => {
  const token = /^basic +([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(
    headers.get('authorization') ?? '',
  )?.[1]
  if (token === undefined || token.length > 2048) return null
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0))
    const text = new TextDecoder().decode(bytes)
    const colon = text.indexOf(':')
    if (colon < 1 || text.length - colon > MAX_PASSWORD) return null
    return [text.slice(0, colon), text.slice(colon + 1)]
  } catch {
    return null
  }
}

/** Where a password file lies: a site's own inside the home. Null: it may not be read. */
export const authFilePlace = (
  vhost: VirtualHostConfig,
  { path: file, trusted }: PasswordFile,
): FilePlace | null => {
  if (trusted && file.startsWith('/')) {
    const slash = file.lastIndexOf('/')
    const directory = file.slice(0, slash) || '/'
    return { root: directory, home: directory, uid: null, path: file.slice(slash) }
  }
  const home = trimEndOf(vhost.home ?? rootOf(vhost), '/')
  const path = file.startsWith('/') ? file : `${rootOf(vhost)}/${file}`
  if (!path.startsWith(`${home}/`) || /\0|\/\.\.(?:\/|$)/.test(path)) return null
  return { root: home, home, uid: vhost.uid, path: path.slice(home.length) }
}

/** Checks the password of a request against the site's own file. Anything unreadable admits nobody. */
export const authenticate = async (
  settings: Settings,
  request: RuleRequest,
  files: RuleFiles,
): Promise<Login> => {
  const { vhost } = request
  const given = basicCredentials(request.headers)
  if (given === null || settings.authType !== 'basic' || settings.userFile === null) return NOBODY
  const place = authFilePlace(vhost, settings.userFile)
  const file = place && (await files.read(place, null, MAX_FILE_BYTES))
  if (file?.kind !== 'text') return { ...NOBODY, broken: true }
  const [user, password] = given
  const hash = hashIn(file.text, user)
  if (hash === null || !(await files.verifyPassword(vhost.domain, password, hash))) return NOBODY
  const readGroups = async (): Promise<string[]> => {
    const groupPlace = settings.groupFile === null ? null : authFilePlace(vhost, settings.groupFile)
    const list = groupPlace && (await files.read(groupPlace, null, MAX_FILE_BYTES))
    return list?.kind === 'text' ? groupsIn(list.text, user) : []
  }
  let groups: Promise<string[]> | null = null
  // A line of rules asks for each group.
  return { user, groups: () => (groups ??= readGroups()) }
}
