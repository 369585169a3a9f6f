import type { MailConfig } from '#handlers/domain/config/config-types.ts'

/** What the agent tells the mail process before anything else. */
export interface MailStart {
  config: MailConfig
  /** Holds the queue; the process's own. */
  directory: string
  /** Name of the machine. */
  host: string
}
