import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import { MAIL_USER } from '#adapters/node/process/identities.ts'
import { RELAY_USER, startExim, type Exim } from '#test/node/mail/exim.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import type { Tenant } from '#test/support/tenant.ts'
import { fetchSecure } from './fetch-secure.ts'

/** Name that the panel has a certificate for. */
const PANEL_NAME = 'panel.berth-mail.example'

export let exim: Exim
export let instance: Instance
export let panel: PanelClient
/** Where people open the panel. */
export let panelUrl: string

/** A message as the API shows it. */
export interface ListedMail {
  id: string
  state: string
  from: string
  replaced_from: string | null
  subject: string
  answer: string | null
  attempts: number
  recipients: { address: string; state: string; answer: string | null }[]
}

/** One instance with TLS on its panel, and Exim as the relay that it does not know yet. */
export const shareMailInstance = (): void => {
  beforeAll(async () => {
    await ensureIdentities()
    exim = await startExim()
    instance = await startInstance({
      settings: { server: 'workers = 1', panel: `tls = "${PANEL_NAME}"` },
    })
    panelUrl = `https://${PANEL_NAME}:${new URL(instance.panelUrl).port}`
    panel = new PanelClient({ ...instance, panelUrl }, fetchSecure)
    await panel.setup()
  }, 120_000)
  afterAll(async () => {
    await instance?.stop()
    await exim?.stop()
  })
}

let isTold = false

/** Tells the running instance of the relay, and of a place for backups that is away, as its operator does; a second time changes nothing. */
export const useRelay = async (): Promise<void> => {
  if (isTold) return
  isTold = true
  const file = join(instance.config.paths.state_dir, '..', 'berth.toml')
  const secret = await exim.secretFile(MAIL_USER)
  const password = join(dirname(file), 'gone-password')
  await writeFile(password, 'nobody asks', { mode: 0o600 })
  const [deadPort] = await freePorts(1)
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    `${text}
[mail]
relay = "smtp://localhost:${exim.startTlsPort}"
username = "${RELAY_USER}"
password_file = "${secret}"
ca_file = "${exim.authorityFile}"
hello = "server.example"

[[remote_target]]
name = "gone"
type = "sftp"
endpoint = "127.0.0.1:${deadPort}"
path = "/backups"
username = "berth"
password_file = "${password}"
host_key = "SHA256:${'A'.repeat(43)}"
allow_private = true
`,
  )
  process.kill((await instance.pids()).supervisor, 'SIGHUP')
}

/** Asks again until the answer is as wanted, at most a minute. */
export const until = async <T>(
  ask: () => Promise<T>,
  wanted: (found: T) => boolean,
): Promise<T> => {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await ask()
    if (wanted(found)) return found
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(found)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The account's message with this subject, when it is as wanted. */
export const mailOf = async (
  { id }: Tenant,
  subject: string,
  wanted: (mail: ListedMail) => boolean = () => true,
): Promise<ListedMail> => {
  const list = () => panel.data<ListedMail[]>('GET', `/api/mail/${id}`)
  const named = (rows: ListedMail[]) => rows.find((row) => row.subject === subject && wanted(row))
  const found = named(await until(list, (rows) => named(rows) !== undefined))
  if (found === undefined) throw new Error(`there is no message ${subject}`)
  return found
}

/** What a job of the account's writes, and how it ends. */
export const runJob = async (
  { id }: Tenant,
  command: string,
  change: object = {},
): Promise<{ output: string; outcome: string }> => {
  const job = { account_id: id, name: command.slice(0, 40), schedule: '0 0 1 1 *', kind: 'shell' }
  const made = await panel.data<{ id: number }>('POST', '/api/cron', { ...job, command, ...change })
  const path = `/api/cron/${id}/${made.id}`
  await panel.data('POST', `${path}/run`)
  type Run = { output: string; outcome: string; ended_at: string | null }
  const [run] = await until(
    () => panel.data<Run[]>('GET', `${path}/runs`),
    ([first]) => typeof first?.ended_at === 'string',
  )
  if (run === undefined) throw new Error('there is no run')
  return run
}
