import type { BackupsConfig } from '../domain/config/config-types.ts'
import type { AddressesPort } from '../ports/addresses.ts'
import type { Clock } from '../ports/clock.ts'
import type { Handover, StorePlace } from '../ports/handover.ts'
import type { HostLinks } from '../ports/host-links.ts'
import type { Background } from '../ports/jobs.ts'
import type { Ambient, Judge } from '../ports/judge.ts'
import type { LicensePort } from '../ports/license.ts'
import type { Log } from '../ports/log.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { RecoveryFacts } from '../ports/recovery.ts'
import type { Store } from '../ports/store/store.ts'
import type { PostsPort } from '../ports/posts.ts'
import type { Turn } from '../ports/turn.ts'
import type { WebhooksPort } from '../ports/webhooks.ts'
import type { PanelHosts } from './on-hosts/panel-hosts.ts'
import type { PanelNames } from './panel-names.ts'

/** What the composition root hands to the services; each takes only the parts it names. */
export interface ServiceDeps {
  store: Store
  /** The hosts: what tells an account goes to that one's, what concerns a machine to the one that is named. */
  host: PanelHosts
  /** How other machines are met. Default: none can be. */
  hostLinks?: HostLinks
  passwords: Passwords
  clock: Clock
  license: LicensePort
  log: Log
  background: Background
  /** Who may still have what is under way; null or nothing where no request asks. */
  judges: Ambient<Judge | null>
  panelNames: PanelNames
  /** Id of this instance of the panel, the same after a restart, where several share the store. Default: it is alone. */
  instance?: string
  /** In whose turn something is under way, which the host is told. Default: it is told of none. */
  turns?: Ambient<Turn | null>
  /** Parent directory of the accounts' homes, absolute, without trailing slash. */
  homeBase: string
  /** How backups are made by themselves where no schedule is set. Default: not at all. */
  backupsConfig?: Pick<BackupsConfig, 'schedule' | 'retention_days' | 'at_once'>
  /** Whether the panel could be brought back. Default: it is not asked. */
  recovery?: () => RecoveryFacts
  /** What the server with the store is not, and must be. Default: there is none. */
  storeProblem?: () => Promise<string | null>
  /** By how many milliseconds this machine's clock is ahead of the store's. Default: it is the same. */
  storeSkewMs?: () => number
  /** Whether host 0 is another machine than this panel's. Default: it is the same. */
  isElsewhere?: boolean
  /** Where the records are. Default: it is not told. */
  storePlace?: () => Promise<StorePlace>
  /** What another instance is given that joins. Default: none can. */
  handover?: Handover
  /** Asks addresses for cron jobs. Default: none can be asked. */
  addresses?: AddressesPort
  /** Told of events. Default: none. */
  webhooks?: WebhooksPort
  /** Sends what people are told to their webhooks. Default: none can be told. */
  posts?: PostsPort
  /** Where people open the panel, without slash at its end; null or absent: not known. */
  panelUrl?: string | null
}
