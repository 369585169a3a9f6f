import { hostNamed } from '../on-hosts/host-named.ts'
import { eachHost } from '../on-hosts/each-host.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { forbidden, isAppError, notFound } from '../../errors.ts'
import type {
  MailAllowance,
  MailRecord,
  MailSearch,
  MailState,
  MailStatus,
  MailQueuePort,
} from '../../ports/host/mail/mail-queue.ts'
import type { SubmittedMail } from '../../ports/host/mail/outgoing-mail.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { planOf, requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How an account sends. */
export interface AccountMail extends MailAllowance {
  username: string
  /** Whether messages leave this server; else they are kept. */
  relayed: boolean
  limits: MailStatus['limits']
}

/** Who asks: an administrator (null), one account, or the reseller of some. */
export type MailReader = { accountId: number | null; accounts?: ReadonlySet<number> }

/** Outgoing mail of accounts and of the panel. 404 for a message that is not there or somebody else's, 503 where the queue does not answer. */
export interface Mail {
  /** Of the machine of that name, default the panel's own. 400, 503. */
  status(host?: string): Promise<MailStatus>
  settings(accountId: number): Promise<AccountMail>
  /** Of one account, or of all on one machine (default: the panel's) with that machine's own. */
  list(accountId: number | null, query: ListQuery, host?: string): Promise<Page<MailRecord>>
  message(reader: MailReader, id: string): Promise<MailRecord>
  /** 403 for an administrator or reseller, unless the panel itself sent it: what accounts write is theirs alone. */
  source(reader: MailReader, id: string): Promise<{ text: string; truncated: boolean }>
  retry(reader: MailReader, id: string): Promise<MailRecord>
  remove(reader: MailReader, id: string): Promise<void>
  /** Sends a message of the panel's own to see whether the relay works. */
  test(to: string): Promise<SubmittedMail>
  /** Tells the host how each account may send; after a start. */
  tellHost(): Promise<void>
  /** Fetches what happened and tells those who listen for events. */
  collectNews(): Promise<void>
}

const NO_MESSAGE = 'No such message. List the messages to see which there are.'
/** All of a list that nobody asked to page. */
const MOST_LISTED = 1000
const SORTS: readonly MailSearch['sort'][] = ['created_at', 'subject', 'state', 'size_bytes']
const STATES: readonly MailState[] = ['queued', 'kept', 'sent', 'failed', 'refused']

const searchOf = ({ page, perPage, sort, order, q, filters = {} }: ListQuery): MailSearch => {
  const limit = Math.min(perPage ?? MOST_LISTED, MOST_LISTED)
  const state = STATES.find((one) => one === filters['state'])
  return {
    // The newest first: what somebody looks for was sent a moment ago.
    sort: SORTS.find((one) => one === sort) ?? 'created_at',
    order: order ?? (sort === undefined ? 'desc' : 'asc'),
    offset: ((page ?? 1) - 1) * limit,
    limit,
    ...(state === undefined ? {} : { state }),
    ...(q === undefined ? {} : { q }),
  }
}

/** Mail by the host's queue; the panel keeps nothing of it but how much an account may send. */
export const createMail = ({
  store,
  host,
  clock,
  log,
}: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'>): Mail => {
  const { outgoingMail } = host.local

  /** Hosts that may have a message of those that somebody may read. */
  const hostsFor = async ({ accountId, accounts }: MailReader): Promise<number[]> => {
    if (accountId === null || accounts !== undefined) return host.present()
    return [(await requireAccount(store, accountId)).host_id]
  }
  const messageAt = async (hostId: number, id: string): Promise<MailRecord | null> => {
    try {
      return await host.of(hostId).mailQueue.message({ id })
    } catch (error) {
      if (isAppError(error) && error.status === 404) return null
      throw error
    }
  }
  const found = async (
    reader: MailReader,
    id: string,
  ): Promise<{ message: MailRecord; hostId: number }> => {
    for (const hostId of await hostsFor(reader)) {
      const message = await messageAt(hostId, id)
      if (message !== null) return { message, hostId }
    }
    throw notFound(NO_MESSAGE)
  }
  const readable = async (
    reader: MailReader,
    id: string,
  ): Promise<{ message: MailRecord; queue: MailQueuePort }> => {
    const { accountId, accounts } = reader
    const { message, hostId } = await found(reader, id)
    const answer = { message, queue: host.of(hostId).mailQueue }
    if (accountId === null) return answer
    if (accounts !== undefined) {
      const { username } = message
      const account = username === null ? null : await store.accountByName(username)
      if (account?.host_id !== hostId || !accounts.has(account.id)) throw notFound(NO_MESSAGE)
      return answer
    }
    const { username } = await requireAccount(store, accountId)
    if (message.username !== username) throw notFound(NO_MESSAGE)
    return answer
  }

  const newsOf = async (hostId: number, { mailQueue }: HostPorts): Promise<void> => {
    let acknowledged = 0
    for (;;) {
      const news = await mailQueue.takeNews({ acknowledged })
      if (news.length === 0) return
      for (const { at, kind, username, message, told } of news) {
        const known = username === null ? null : await store.accountByName(username)
        // A host tells of its own accounts alone.
        const account = known?.host_id === hostId ? known : null
        await store.insertEvent({
          at,
          ending: `mail.${kind}:done`,
          subject: `mail:${username ?? ''}`,
          data: {
            ...(account === null ? {} : { account_id: account.id, username: account.username }),
            ...(message === null ? {} : { message }),
            reason: told,
          },
        })
      }
      acknowledged = news.at(-1)?.seq ?? 0
    }
  }

  return {
    status: async (name) => host.of(await hostNamed({ store }, name)).mailQueue.status(),
    async settings(accountId) {
      const { username, host_id } = await requireAccount(store, accountId)
      const queue = host.of(host_id).mailQueue
      const [allowance, { relay, limits }] = await Promise.all([
        queue.allowance({ username }),
        queue.status(),
      ])
      return { username, relayed: relay !== null, ...allowance, limits }
    },
    async list(accountId, query, name) {
      if (accountId === null)
        return host.of(await hostNamed({ store }, name)).mailQueue.list(searchOf(query))
      const { username, host_id } = await requireAccount(store, accountId)
      return host.of(host_id).mailQueue.list({ ...searchOf(query), username })
    },
    message: async (reader, id) => (await readable(reader, id)).message,
    async source(reader, id) {
      const { message, queue } = await readable(reader, id)
      const { username } = message
      const isOther = reader.accountId === null || reader.accounts !== undefined
      if (isOther && username !== null)
        throw forbidden(
          `What ${username} writes is for ${username} alone, not for administrators and resellers.`,
        )
      return queue.source({ id })
    },
    async retry(reader, id) {
      const { queue } = await readable(reader, id)
      return queue.retry({ id })
    },
    async remove(reader, id) {
      const { queue } = await readable(reader, id)
      await queue.remove({ id })
    },
    test: (to) =>
      outgoingMail.submit({
        to,
        subject: 'Test message of Berth',
        text: `This message was sent from the panel at ${timestamp(clock.nowMs())} UTC. The relay works.\n`,
      }),
    async tellHost() {
      const present = new Set(await host.present())
      for (const account of (await store.listAccounts()).rows) {
        if (!present.has(account.host_id)) continue
        const { mails_per_hour_limit: perHour } = await planOf(store, account)
        const { username, primary_domain: mainDomain } = account
        await host.mailQueue.setAccount({ username, perHour, mainDomain }).catch((error: unknown) =>
          log.error('the host could not be told how an account may send', {
            username,
            error: String(error),
          }),
        )
      }
    },
    collectNews: () => eachHost({ host, log }, 'news of mail were not fetched', newsOf),
  }
}
