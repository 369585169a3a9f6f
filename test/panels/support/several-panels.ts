import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { startRelay, type Relay } from '#test/support/servers/relay.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'

const ENTRY = resolve(import.meta.dirname, '../../../adapters/node/bin/panel.ts')
/** Longer than anything here takes, but for a panel that stands still. */
const ANSWER_MS = 30_000

/** One of several panels of an installation, as a process that can be killed and stopped. */
export interface PanelProcess {
  id: string
  client: PanelClient
  /** `host:port`. */
  address: string
  /** What it said since it was started. */
  output(): string
  /** SIGKILL, as after a crash; a new process begins with `start`. */
  kill(): Promise<void>
  start(): Promise<void>
  /** SIGSTOP, and its leases end as those of one that stood still for half a minute. */
  freeze(): Promise<void>
  /** Its leases end as after half a minute in which nobody renewed them. */
  expire(): Promise<void>
  /** SIGCONT. */
  thaw(): void
  /** By which it reaches the database. */
  way: Relay
}

/** A whole installation over PostgreSQL, whose agent further panels speak to beside its own. */
export interface SeveralPanels {
  instance: Instance
  panels: readonly PanelProcess[]
  server: PostgresServer
  /** By which the installation's own panel, and `query`, reach the database. */
  way: Relay
  /** Runs a statement in the panels' database. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  stop(): Promise<void>
}

export interface SeveralOptions {
  /** By how much each panel's clock is ahead of the machine's. Default: none is. */
  skewsMs?: readonly number[]
  /** Whether the panels are reached by TLS, with certificates that sign themselves. Default: no. */
  tls?: boolean
}

/**
 * Starts an installation and `count` panels beside its own, whose process is the supervisor's and
 * stays as it is. All share database, agent and the key of sessions, as panels on several
 * machines do. What ends of operations are written is noted in the table `test_ends`.
 */
export const startSeveralPanels = async (
  count: number,
  { skewsMs = [], tls = false }: SeveralOptions = {},
): Promise<SeveralPanels> => {
  const undo: (() => Promise<unknown> | void)[] = []
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    const server = await startPostgres()
    undo.push(() => server.stop())
    const name = new URL(await server.newDatabase()).pathname
    const openWay = async (): Promise<{ way: Relay; url: string }> => {
      const way = await startRelay(server.socket)
      undo.push(() => way.close())
      return { way, url: `postgres://berth@127.0.0.1:${way.port}${name}` }
    }
    const { way, url } = await openWay()
    const instance = await startInstance({
      settings: {
        server: 'workers = 1',
        panel: `store = ${JSON.stringify(url)}`,
        databases: 'mariadb = "off"',
      },
    })
    undo.push(() => instance.stop())
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    undo.push(() => pool.end())
    // Of connections whose server ends.
    pool.on('error', () => undefined)
    pool.on('connect', (one) => one.on('error', () => undefined))
    const query: SeveralPanels['query'] = async (text, values = []) =>
      (await pool.query(text, values)).rows as never
    await query(`create table test_ends (id text, state text)`)
    await query(`create function test_note_end() returns trigger language plpgsql as
      $$ begin insert into test_ends values (new.id, new.state); return new; end $$`)
    await query(`create trigger test_note_end after update of state on operations
      for each row execute function test_note_end()`)
    const first = new PanelClient(instance)
    await first.setup()
    const { token } = first
    const ports = await freePorts(count)
    const panels = await Promise.all(
      ports.map(async (port, at) => {
        const own = await openWay()
        const panel = panelBeside(instance, port, `panel-${at}`, query, {
          ...{ skewMs: skewsMs[at] ?? 0, tls, way: own.way },
          stores: { ofFirst: url, own: own.url },
        })
        undo.push(() => panel.kill())
        await panel.start()
        panel.client.token = token
        return panel
      }),
    )
    return { instance, panels, server, way, query, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** For panels whose certificate signs itself. */
const selfSignedFetch = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
  new Promise((done, fail) => {
    const asking = httpsRequest(
      String(url),
      {
        ...{ method: init.method ?? 'GET', rejectUnauthorized: false },
        headers: Object.fromEntries(new Headers(init.headers)),
      },
      (answer) => {
        buffer(answer).then(
          (bytes) => done(new Response(new Uint8Array(bytes), { status: answer.statusCode ?? 0 })),
          fail,
        )
      },
    )
    asking.on('error', fail)
    asking.end(init.body ?? undefined)
  })

/** Options of a node whose `Date` is ahead of the machine's clock. */
const shifted = (skewMs: number): string[] => {
  if (skewMs === 0) return []
  const source = `const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + (${skewMs})) : super(...given) }
      static now() { return Real.now() + (${skewMs}) }
    }`
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`]
}

const panelBeside = (
  instance: Instance,
  port: number,
  name: string,
  query: SeveralPanels['query'],
  {
    skewMs,
    tls,
    way,
    stores,
  }: { skewMs: number; tls: boolean; way: Relay; stores: Record<'ofFirst' | 'own', string> },
): PanelProcess => {
  const { file, paths } = instance.config
  const directory = dirname(file)
  const own = join(directory, `${name}.toml`)
  const state = join(directory, name)
  mkdirSync(join(state, 'panel'), { recursive: true, mode: 0o700 })
  writeFileSync(
    own,
    readFileSync(file, 'utf8')
      .replace('state_dir = "state"', `state_dir = ${JSON.stringify(name)}`)
      .replace(/(?<=\[panel\]\nlisten = ")[^"]+/, `127.0.0.1:${port}`)
      .replace(stores.ofFirst, stores.own)
      .replace('[panel]\n', tls ? '[panel]\ntls = "self-signed"\n' : '[panel]\n'),
  )
  let child: ChildProcess | null = null
  let output = ''
  const id = (): string => readFileSync(join(state, 'panel', 'instance-id'), 'utf8').trim()
  const client = new PanelClient(
    { ...instance, panelUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${port}` },
    tls
      ? selfSignedFetch
      : (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) }),
  )
  const expire = async (): Promise<void> => {
    await query('update leases set until_ms = 0 where holder = $1', [id()])
    await query('update instances set seen_at_ms = 0 where id = $1', [id()])
  }
  return {
    get id() {
      return id()
    },
    client,
    way,
    address: `127.0.0.1:${port}`,
    output: () => output,
    async start() {
      const started = spawn(process.execPath, [...shifted(skewMs), ENTRY, '--config', own], {
        cwd: '/',
        env: {
          ...CLEAN_ENV,
          NODE_COMPILE_CACHE: join(paths.state_dir, 'compile-cache', 'panel'),
        },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      child = started
      output = ''
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const [said] = (await Promise.race([once(started, 'message'), once(started, 'exit')])) as [
        unknown,
      ]
      if ((said as { type?: string } | null)?.type !== 'ready')
        throw new Error(`${name} did not start:\n${output}`)
    },
    async kill() {
      const killed = child
      child = null
      if (killed === null || killed.exitCode !== null || killed.signalCode !== null) return
      const ended = once(killed, 'exit')
      killed.kill('SIGKILL')
      await ended
    },
    async freeze() {
      child?.kill('SIGSTOP')
      await expire()
    },
    expire,
    thaw: () => void child?.kill('SIGCONT'),
  }
}
