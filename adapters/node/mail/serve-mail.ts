import { join } from 'node:path'
import { z } from 'zod'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { notFound } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import { accountFactsSchema } from '../mail-channel/account-facts.ts'
import { createPeer, type Channel } from '../mail-channel/peer.ts'
import type { MailStart } from '../mail-channel/mail-start.ts'
import { openMailDatabase } from './mail-database.ts'
import { createMailRecords } from './mail-records.ts'
import { createMailService, type MailService } from './mail-service.ts'
import { createMessageFiles } from './message-files.ts'
import { createNews } from './news.ts'
import { createUsage } from './usage.ts'

const METHODS = [
  'submit',
  'open',
  'forget',
  'configure',
  'status',
  'allowance',
  'setAccount',
  'list',
  'message',
  'source',
  'retry',
  'remove',
  'takeNews',
] as const satisfies (keyof MailService)[]

/** The agent, which checked them, sends arguments by the shape of the service. */
const startSchema = z.custom<MailStart>((value) => typeof value === 'object' && value !== null)

/** The mail process: opens the queue when the agent says where, and does what it asks. */
export const serveMail = (channel: Channel, log: Log): { stop(): Promise<void> } => {
  let service: MailService | null = null
  let close: () => void = () => undefined

  const begin = ({ config: given, directory, host }: MailStart): void => {
    let config: MailConfig = given
    const db = openMailDatabase(join(directory, 'mail.db'))
    close = () => db.close()
    const nowMs = (): number => Date.now()
    const records = createMailRecords(db)
    const files = createMessageFiles(join(directory, 'messages'))
    files.removeOthers(records.sourceIds())
    service = createMailService(
      {
        config: () => config,
        hello: () => config.hello ?? host,
        records,
        files,
        usage: createUsage(db, nowMs),
        news: createNews(db, nowMs),
        account: async (username) =>
          accountFactsSchema.nullable().parse(await peer.ask('account', { username })),
        nowMs,
        log,
      },
      (next) => (config = next),
    )
  }

  const peer = createPeer(channel, async (method, input) => {
    if (method === 'start') {
      if (service === null) begin(startSchema.parse(input))
      return null
    }
    const known = METHODS.find((one) => one === method)
    if (service === null || known === undefined) throw notFound(`There is no ${method}.`)
    const call: (input: never) => Promise<unknown> = service[known]
    return (await call(input as never)) ?? null
  })

  return {
    async stop() {
      await service?.stop()
      close()
    },
  }
}
