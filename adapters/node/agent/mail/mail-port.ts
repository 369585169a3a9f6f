import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { exactNames } from '#handlers/domain/domains/wildcard-name.ts'
import type { MailQueuePort } from '#handlers/ports/host/mail/mail-queue.ts'
import type { OutgoingMail } from '#handlers/ports/host/mail/outgoing-mail.ts'
import type { Log } from '#handlers/ports/log.ts'
import { MAIL_ANSWERS } from '../../mail-channel/answers.ts'
import { findUser, MAIL_USER } from '../../process/identities.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import { createMailProcess } from './mail-process.ts'
import { placeSendmail } from './place-sendmail.ts'

export interface MailPortDeps {
  registry: Pick<Registry, 'account' | 'accounts' | 'vhostsOf'>
  asRoot: boolean
  stateDir: string
  runDir: string
  /** As read last. */
  config: () => MailConfig
  log: Log
}

/** What other parts of the agent tell of an account; each may be called repeatedly. */
export interface MailHooks {
  /** Lets it send, or holds what it sent while it is suspended. Without mail the rest goes on. */
  change(account: Pick<RegisteredAccount, 'username' | 'gid'>): Promise<void>
  /** The same, and leaves nothing of it. */
  remove(account: Pick<RegisteredAccount, 'username'>): Promise<void>
}

/** The two ports of mail, which pass on what the mail process does. */
export interface AgentMail {
  outgoingMail: OutgoingMail
  mailQueue: MailQueuePort
  hooks: MailHooks
  /** What `mail()` of an account's PHP runs. */
  sendmailCommand(username: string): string
  /** Directory that holds `sendmail`, for PATH. */
  programs: string
  /** Directory of settings for PHP that an account starts itself. */
  phpSettings: string
  /** Opens every account's socket. */
  start(): Promise<void>
  /** The configuration was read again. */
  renew(): Promise<void>
  stop(): Promise<void>
}

/** Directories of accounts, the process, and the ports that ask it. */
export const createAgentMail = (deps: MailPortDeps): AgentMail => {
  const { registry, asRoot, stateDir, runDir, log } = deps
  const sockets = join(runDir, 'mail')
  const directoryOf = (username: string): string => join(sockets, username)
  const programs = join(stateDir, 'mail-programs')
  const { sendmail, phpSettings } = placeSendmail(programs, runDir)

  const facts = (username: string) => {
    const account = registry.account(username)
    if (account === null) return null
    const names = registry.vhostsOf(username).flatMap(({ domain, aliases }) => [domain, ...aliases])
    // Nobody writes from a wildcard.
    return { suspended: account.suspended, domains: [...new Set(exactNames(names))] }
  }

  /** Only the account's group may pass; the socket in it is the mail process's to make. */
  const makeDirectory = (username: string, gid: number): string => {
    mkdirSync(sockets, { recursive: true, mode: 0o711 })
    chmodSync(sockets, 0o711)
    const directory = directoryOf(username)
    mkdirSync(directory, { recursive: true, mode: 0o710 })
    if (asRoot) {
      const user = findUser(MAIL_USER)
      chownSync(directory, user?.uid ?? 0, gid)
    }
    chmodSync(directory, asRoot ? 0o710 : 0o700)
    return directory
  }
  const opened = (account: Pick<RegisteredAccount, 'username' | 'gid'>) => ({
    username: account.username,
    directory: makeDirectory(account.username, account.gid),
    suspended: registry.account(account.username)?.suspended ?? false,
  })

  const process = createMailProcess({
    directory: join(stateDir, 'mail'),
    compileCache: join(stateDir, 'compile-cache', 'mail'),
    asRoot,
    findUser: () => findUser(MAIL_USER),
    config: deps.config,
    account: facts,
    async onStart(ask) {
      for (const account of registry.accounts()) await ask('open', opened(account))
    },
    log,
  })
  const ask = async <M extends keyof typeof MAIL_ANSWERS>(
    method: M,
    input: unknown,
  ): Promise<z.output<(typeof MAIL_ANSWERS)[M]>> => {
    // The process is trusted with less than we are: what it says is checked.
    const answer: unknown = await process.ask(method, input)
    return MAIL_ANSWERS[method].parse(answer) as z.output<(typeof MAIL_ANSWERS)[M]>
  }

  return {
    outgoingMail: { submit: (message) => ask('submit', message) },
    mailQueue: {
      status: () => ask('status', null),
      allowance: (input) => ask('allowance', input),
      // The panel tells it again after each start; an account can be made without mail.
      setAccount: (input) =>
        ask('setAccount', input).then(
          () => undefined,
          (error: unknown) =>
            log.error('the mail queue was not told how an account may send', {
              username: input.username,
              error: String(error),
            }),
        ),
      list: (search) => ask('list', search),
      message: (input) => ask('message', input),
      source: (input) => ask('source', input),
      retry: (input) => ask('retry', input),
      remove: async (input) => void (await ask('remove', input)),
      takeNews: async (input) => (process.isRunning() ? ask('takeNews', input) : []),
    },
    hooks: {
      change: (account) =>
        process.ask('open', opened(account)).then(
          () => undefined,
          (error: unknown) =>
            log.error('the mail queue was not told of an account', {
              username: account.username,
              error: String(error),
            }),
        ),
      async remove({ username }) {
        // Where its user was never made nothing was ever queued, and a removal waits for nobody.
        if (!asRoot || findUser(MAIL_USER) !== null) await process.ask('forget', { username })
        await rm(directoryOf(username), { recursive: true, force: true })
      },
    },
    sendmailCommand: (username) => `${sendmail} --as ${username} -t -i`,
    programs,
    phpSettings,
    start: async () => {
      if (registry.accounts().length > 0) await process.start()
    },
    renew: () => process.tell('configure', deps.config()),
    stop: () => process.stop(),
  }
}
