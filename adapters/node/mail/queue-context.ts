import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountFacts } from '../mail-channel/account-facts.ts'
import type { MailRecords } from './mail-records.ts'
import type { MessageFiles } from './message-files.ts'
import type { News } from './news.ts'
import type { Usage } from './usage.ts'

/** What the parts of the queue share. */
export interface QueueContext {
  /** As read last. */
  config(): MailConfig
  /** Name of this server towards relays. */
  hello(): string
  records: MailRecords
  files: MessageFiles
  usage: Usage
  news: News
  /** What the agent knows of an account; null: it has none of that name. */
  account(username: string): Promise<AccountFacts | null>
  nowMs(): number
  log: Log
}
