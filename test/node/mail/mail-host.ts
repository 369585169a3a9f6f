import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAgentMail } from '#adapters/node/agent/mail/mail-port.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import { findUser, MAIL_USER } from '#adapters/node/process/identities.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { MailConfig } from '#handlers/domain/config/config-types.ts'
import { completeMail } from '#handlers/domain/config/mail/mail-section.ts'
import type { MailRecord } from '#handlers/ports/host/mail/mail-queue.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createAgentFixture } from '#test/node/agent/agent-fixture.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'
import { RELAY_SECRET, RELAY_USER } from './exim.ts'

/** Accounts with the agent's mail, of which every part is real. */
export const createMailHost = async () => {
  await ensureIdentities()
  const host = await createAgentFixture()
  const at = (name: string): string => join(host.directory, name)
  const secretFile = at('relay.password')
  await writeFile(secretFile, `${RELAY_SECRET}\n`, { mode: 0o600 })
  const user = findUser(MAIL_USER)
  await chown(secretFile, user?.uid ?? 0, user?.gid ?? 0)
  let config: MailConfig = { ...completeMail({}, () => null), hello: 'server.example' }
  const note = (message: string, fields?: object): void =>
    void host.logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const mail = createAgentMail({
    registry: host.registry,
    asRoot: true,
    stateDir: at('state'),
    runDir: at('run'),
    config: () => config,
    log: { info: note, warn: note, error: note },
  })
  Object.assign(host.logins, {
    open: mail.hooks.change,
    close: mail.hooks.change,
    remove: mail.hooks.remove,
  })

  return {
    host,
    mail,
    queue: mail.mailQueue,
    secretFile,
    /** An account with a site. */
    async account(domain: string): Promise<OsUser> {
      const user = await host.account()
      host.registry.changeVhosts(
        [
          siteSpec(domain, user.username, { aliases: [`www.${domain}`] }),
          // First by name, and nothing that anybody could write from.
          siteSpec(`*.${domain}`, user.username),
        ],
        [],
      )
      await mail.start()
      return user
    },
    async configure(change: Partial<MailConfig>): Promise<void> {
      config = { ...config, ...change }
      await mail.renew()
    },
    relayTo: (port: number, change: Partial<MailConfig> = {}): Partial<MailConfig> => ({
      relay: { host: 'localhost', port, scheme: 'smtp' },
      username: RELAY_USER,
      password_file: secretFile,
      ...change,
    }),
    /** Runs `sendmail` as the account, as programs of it do. */
    async sendmail(
      user: OsUser,
      args: readonly string[],
      input: string | Buffer,
    ): Promise<{ code: number | null; stderr: string }> {
      const as = asUser(
        { uid: user.uid, gid: user.gid, groups: 'none' },
        join(mail.programs, 'sendmail'),
        args,
        // What the smallest plan gives.
        { limited: { processes: 50, memoryMb: 128 } },
      )
      const child = spawn(as.program, as.args, { cwd: '/', env: CLEAN_ENV })
      let stderr = ''
      child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
      child.stdin.on('error', () => undefined)
      child.stdin.end(input)
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, stderr }
    },
    /** Runs a script with the `sendmail_path` of the account's PHP. */
    async php(user: OsUser, script: string): Promise<string> {
      const path = `sendmail_path=${mail.sendmailCommand(user.username)}`
      const as = asUser(
        { uid: user.uid, gid: user.gid, groups: 'none' },
        '/usr/bin/php',
        [...['-d', path, '-r', script]],
        { limited: { processes: 50, memoryMb: 128 } },
      )
      return (await mustRun(as.program, as.args)).stdout
    },
    /** Kills the mail process and waits for the next one. */
    async crash(): Promise<void> {
      for (const { pid } of findProcesses(({ commandLine }) =>
        commandLine.includes('adapters/node/bin/mail.ts'),
      ))
        process.kill(pid, 'SIGKILL')
      while (!host.logged.some((line) => line.includes('the mail process ended'))) await delay(10)
      await mail.start()
    },
    /** The newest message of the account. */
    async newest(user: OsUser): Promise<MailRecord> {
      const { rows } = await mail.mailQueue.list({
        username: user.username,
        ...{ sort: 'created_at', order: 'desc', offset: 0, limit: 1 },
      })
      const [row] = rows
      if (row === undefined) throw new Error('the account has no message')
      return row
    },
    /** The message when it is as wanted. */
    async until(id: string, wanted: (mail: MailRecord) => boolean): Promise<MailRecord> {
      for (let tries = 0; tries < 500; tries += 1) {
        const found = await mail.mailQueue.message({ id })
        if (wanted(found)) return found
        await delay(20)
      }
      throw new Error(`still ${JSON.stringify(await mail.mailQueue.message({ id }))}`)
    },
    async dispose() {
      await host.dispose()
      await mail.stop()
    },
  }
}
export type MailHost = Awaited<ReturnType<typeof createMailHost>>
