import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { AccountUse } from '#handlers/ports/host/accounts/account-use.ts'
import type { LogFile } from '#handlers/ports/host/logs.ts'
import type { FoundWordpress } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { RecoveryFacts } from '#handlers/ports/recovery.ts'
import type { HostLogin } from '#handlers/ports/host/sftp.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'
import type { FakeMail } from '#test/fakes/mail/fake-mail.ts'
import { testCache } from '#test/support/test-cache.ts'
import { ensureBuild } from './ensure-build.ts'
import type { BackupPast } from './make-backup-past.ts'

/** What `setMails` puts into the queue. */
export interface PutMails {
  relay: string | null
  records: readonly (Parameters<FakeMail['put']>[0] & { source?: string })[]
}

export interface TestPanel {
  /** e.g. `http://127.0.0.1:40123`. */
  origin: string
  /** Lets `<port>.<method>` of the host, or `store.<method>`, fail with 503 until `mend`; `message` is what it says then. */
  breakHost(method: string, message?: string): Promise<void>
  mend(): Promise<void>
  /** Writes lines to a log of the host. */
  writeLog(file: LogFile, ...lines: string[]): Promise<void>
  /** Writes accounts `u1`, `u2`, … with domains into the store; the host knows nothing of them. */
  fill(many: { accounts: number; domainsOfEach: number }): Promise<void>
  /** Gives every site a day of visitors and some pages, and figures of six weeks. */
  fillCache(): Promise<void>
  /** Who logged in over SFTP. */
  setLogins(logins: readonly HostLogin[]): Promise<void>
  /** Messages in the queue, with what is kept of their text, and where they go. */
  setMails(mails: PutMails): Promise<void>
  /** What workers of the web server did within the last day. */
  setStalls(stalls: readonly WorkerStall[]): Promise<void>
  /** Records a machine that does not answer. */
  addAwayHost(name: string): Promise<void>
  /** Records a machine that is open. */
  addHost(name: string): Promise<void>
  /** What the programs of an account used. */
  setUse(username: string, use: AccountUse): Promise<void>
  /** What WordPress is found in the sites of an account. */
  setWordpress(username: string, ...found: FoundWordpress[]): Promise<void>
  /** What is known of bringing the panel back; at first all is well. */
  setRecovery(facts: RecoveryFacts): Promise<void>
  /** Lets an account be older than it is, and its last scheduled backup have failed. */
  setBackupPast(past: BackupPast): Promise<void>
  /** Lays archives on the host, by their paths or as `<location>/<filename>`. */
  layArchives(archives: readonly (readonly [path: string, archive: FakeArchive])[]): Promise<void>
  /** What it wrote to its standard error. */
  errors(): string
  stop(): Promise<void>
}

export interface PanelOptions {
  setupToken?: string
  /** A host that was measured for a day. */
  history?: boolean
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string
  /** What runs the process, e.g. `['nsenter', '--net=…', '--']`. Default: nothing. */
  within?: readonly string[]
}

/** Starts the panel over a fake host, with the UI freshly built where that is needed. */
export const startPanel = async (options: PanelOptions = {}): Promise<TestPanel> => {
  await ensureBuild()
  const { host = '127.0.0.1', within = [] } = options
  const argv = [...within, process.execPath, resolve(import.meta.dirname, 'panel-process.ts')]
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      TEST_LISTEN: host,
      // Each start compiled the same sources anew.
      NODE_COMPILE_CACHE: testCache('compiled'),
      ...(options.history ? { TEST_HISTORY: '1' } : {}),
      ...(options.setupToken === undefined ? {} : { TEST_SETUP_TOKEN: options.setupToken }),
    },
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [started] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the test panel ended before it was ready')
    }),
  ])) as [{ port: number }]
  const tell = async (message: object): Promise<void> => {
    const answered = once(child, 'message')
    child.send(message)
    await answered
  }
  return {
    origin: `http://${host}:${started.port}`,
    breakHost: (method, message) => tell({ fault: method, message }),
    errors: () => errors,
    mend: () => tell({ clear: true }),
    fill: (many) => tell({ fill: many }),
    setRecovery: (recovery) => tell({ recovery }),
    setWordpress: (username, ...found) => tell({ wordpress: [username, found] }),
    setBackupPast: (backups) => tell({ backups }),
    layArchives: (archives) => tell({ archives }),
    setLogins: (logins) => tell({ logins }),
    setMails: (mails) => tell({ mails }),
    setStalls: (stalls) => tell({ stalls }),
    addAwayHost: (name) => tell({ machine: { name, away: true } }),
    addHost: (name) => tell({ machine: { name, away: false } }),
    setUse: (username, use) => tell({ use: { username, use } }),
    fillCache: () => tell({ cache: true }),
    writeLog: (file, ...lines) => tell({ log: [file, lines] }),
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
