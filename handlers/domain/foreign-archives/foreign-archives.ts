import { cpanelTop, readCpanel } from './cpanel.ts'
import { isDirectAdmin, readDirectAdmin } from './directadmin.ts'
import type { ForeignAccount, SurveyedArchive } from './foreign-account.ts'
import { isHestia, readHestia } from './hestia.ts'

/**
 * What an archive of another panel says of its account; null for one of no panel
 * that is known (HestiaCP, VestaCP, cPanel, DirectAdmin).
 */
export const readForeignArchive = (archive: SurveyedArchive): ForeignAccount | null => {
  const own = isHestia(archive)
  if (own !== null) return readHestia(archive, own)
  const top = cpanelTop(archive)
  if (top !== null) return readCpanel(archive, top)
  return isDirectAdmin(archive) ? readDirectAdmin(archive) : null
}

/** Of all names below a folder of these the contents describe the account; everything else is content of its own. */
const CONTROL: readonly RegExp[] = [
  // HestiaCP and VestaCP
  /^(?:hestia|vesta)\/user\.conf$/,
  /^pam\/passwd$/,
  /^web\/[^/]+\/(?:hestia|vesta)\/[^/]+$/,
  /^db\/[^/]+\/(?:hestia|vesta)\/db\.conf$/,
  // cPanel, below a folder of any name
  /^(?:[^/]+\/)?cp\/[^/]+$/,
  /^(?:[^/]+\/)?userdata\/[^/]+$/,
  /^(?:[^/]+\/)?apache_tls\/[^/]+$/,
  /^(?:[^/]+\/)?mysql\/[^/]+\.create$/,
  /^(?:[^/]+\/)?mysql\.sql(?:-auth\.json)?$/,
  /^(?:[^/]+\/)?homedir_paths$/,
  // HestiaCP's `cron.conf`; cPanel's tables by user
  /^(?:[^/]+\/)?cron\/[^/]+$/,
  // DirectAdmin
  /^backup\/[^/]+\.conf$/,
  /^backup\/[^/]+\/(?:domain\.(?:conf|cert|key|cacert|pointers)|subdomain\.list|ftp\.passwd)$/,
]

/** Whether a member, by its name, is one of the small files that describe an account. */
export const isControlFile = (name: string): boolean => CONTROL.some((sign) => sign.test(name))

/** Whether a member lies in a home that is not in an archive of its own: its name needs not be remembered. */
export const isHomeMember = (name: string): boolean =>
  /^(?:[^/]+\/)?homedir\//.test(name) || name.startsWith('domains/')
