import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { findUser, TOOL_USER } from '#adapters/node/process/identities.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient, randomUsername } from '#test/support/panel-client.ts'
import { ensureBuild } from '../support/ensure-build.ts'
import { launchBrowser, openPage } from '../support/open-browser.ts'

const PASSWORD = 'correct horse 9'
type Engine = 'mariadb' | 'postgresql'

/** The web tool for databases, with real Adminer, MariaDB, PostgreSQL and Chromium. */
describe('the web tool for databases', () => {
  const username = randomUsername()
  const other = randomUsername()
  let instance: Instance
  let browser: Browser
  let panel: PanelClient
  let token = ''
  let port = 0
  const ids: Record<string, number> = {}

  const logIn = async (name: string): Promise<string> => {
    const login = { username: name, password: PASSWORD }
    const answer = await panel.call('POST', '/api/auth/login', login, null)
    return (answer.body.data as { token: string }).token
  }
  beforeAll(async () => {
    await ensureBuild()
    ;[port = 0] = await freePorts(1)
    ;[instance, browser] = await Promise.all([
      startInstance({
        settings: {
          panel: `database_tool_port = ${port}`,
          server: 'workers = 1',
          databases: 'mariadb = "managed"\npostgresql = "managed"',
        },
      }),
      launchBrowser(),
    ])
    panel = new PanelClient(instance)
    await panel.setup()
    for (const name of [username, other]) {
      const account = {
        username: name,
        plan: 'free',
        domain: `${name}.example`,
        password: PASSWORD,
      }
      const email = `${name}@${name}.example`
      ids[name] = (
        await panel.data<{ id: number }>('POST', '/api/accounts', { ...account, email })
      ).id
    }
    for (const engine of ['mariadb', 'postgresql'])
      for (const name of [username, other])
        await panel.data('POST', '/api/databases', {
          account_id: ids[name],
          db_name: 'shop',
          db_password: PASSWORD,
          engine,
        })
    token = await logIn(username)
  })
  afterAll(async () => {
    await browser?.close()
    await instance?.stop()
  })

  const runDir = () => instance.config.paths.run_dir
  const asRootOfMariadb = async (sql: string): Promise<Record<string, unknown>[]> => {
    const connection = await mysql.createConnection({
      socketPath: join(runDir(), 'mariadb/mariadb.sock'),
      user: 'root',
    })
    const [rows] = await connection.query(sql)
    await connection.end()
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  }
  const asRootOfPostgresql = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({
      host: join(runDir(), 'postgresql'),
      user: 'postgres',
      database: 'postgres',
      password: '',
    })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(sql)
    await client.end()
    return rows
  }
  /** How many logins are lent now. */
  const lent = async (engine: Engine): Promise<number> => {
    const rows =
      engine === 'mariadb'
        ? await asRootOfMariadb(
            `SELECT user FROM mysql.global_priv WHERE user = '${username}_shop' AND JSON_LENGTH(priv, '$.auth_or') > 1`,
          )
        : await asRootOfPostgresql("SELECT FROM pg_roles WHERE rolname LIKE 'passing:%'")
    return rows.length
  }
  const toolPath = (engine: Engine, name = username) =>
    `/api/databases/${ids[name]}/shop/tool?engine=${engine}`
  const ticketOf = async (engine: Engine, as = token, name = username): Promise<string> => {
    const answer = await panel.call('POST', toolPath(engine, name), {}, as)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    return (answer.body.data as { url: string }).url
  }
  const ask = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init })
  /** Opens a session; answers the address of its pages. */
  const opened = async (engine: Engine, as = token): Promise<string> => {
    const answer = await ask(await ticketOf(engine, as))
    expect(answer.status).toBe(303)
    return new URL(answer.headers.get('location') ?? '', answer.url).href
  }
  /** Runs SQL in the tool as its page would; answers what the page says. */
  const sql = async (session: string, query: string, more: Record<string, string> = {}) => {
    const form = await (await ask(`${session}?ns=public&sql=`)).text()
    const [, csrf = ''] = /name='token' value='([^']+)'/.exec(form) ?? []
    expect(csrf).not.toBe('')
    const body = new URLSearchParams({ query, token: csrf, limit: '', ...more })
    return (await ask(`${session}?ns=public&sql=`, { method: 'POST', body })).text()
  }
  const textOf = (html: string): string => html.replace(/<script[^]*?<\/script>|<[^>]+>/g, ' ')

  describe.each(['mariadb', 'postgresql'] as const)('in a browser, %s', (engine) => {
    it('opens one database from the panel without another password, makes and shows tables', async () => {
      const watched = await openPage(browser, instance.panelUrl)
      const { page } = watched
      page.setDefaultTimeout(20_000)
      const login = { username, password: PASSWORD }
      const headers = { 'X-Requested-With': 'berth' }
      await page.request.post('/api/auth/login', { headers, data: login })
      await page.goto(`/databases?engine=${engine}`)
      const popup = page.waitForEvent('popup')
      await page.getByRole('button', { name: `Actions for ${username}_shop`, exact: true }).click()
      await page.getByRole('menuitem', { name: 'Open in Adminer' }).click()
      const tool: Page = await popup
      await tool.waitForURL(/\/s\//)
      expect(new URL(tool.url()).port).toBe(String(port))
      await tool.getByRole('link', { name: 'SQL command' }).click()
      const name = `berries_${engine}`
      await tool.locator('textarea[name=query], .sqlarea').first().waitFor({ state: 'attached' })
      await tool.evaluate((statement) => {
        const area = document.querySelector<HTMLTextAreaElement>('textarea[name=query]')
        if (area) {
          area.value = statement
          area.form?.requestSubmit()
        }
      }, `CREATE TABLE ${name} (name VARCHAR(40)); INSERT INTO ${name} VALUES ('<script>alert(1)</script> blue'); CREATE VIEW v_${engine} AS SELECT * FROM ${name};`)
      await tool.getByText('OK', { exact: false }).first().waitFor()
      await tool.getByRole('link', { name, exact: true }).first().waitFor()
      await tool.goto(`${tool.url().split('?')[0]}?ns=public&select=${name}`)
      await tool.getByText('<script>alert(1)</script> blue').waitFor()
      // Pages have an origin that is nobody's: no cookie, no storage, nothing of the panel.
      expect(await tool.evaluate(() => self.origin)).toBe('null')
      const reached = await tool.evaluate(
        (url) => fetch(`${url}/api/auth/me`, { credentials: 'include' }).then(String, () => 'no'),
        instance.panelUrl,
      )
      expect(reached).toBe('no')
      expect(
        await tool.evaluate(() => {
          try {
            return document.cookie
          } catch {
            return 'refused'
          }
        }),
      ).toBe('refused')
      const cookies = await page.context().cookies([tool.url()])
      expect(cookies.filter((cookie) => cookie.name.startsWith('adminer'))).toEqual([])
      await page.context().close()
    })

    it('what is made belongs to the own user and outlives the session; the login does not', async () => {
      const session = await opened(engine)
      expect(await lent(engine)).toBe(1)
      await sql(session, `CREATE VIEW kept_${engine} AS SELECT 1 AS one`)
      const next = await opened(engine)
      // One session of a database at a time.
      expect(await lent(engine)).toBe(1)
      expect(textOf(await sql(next, `SELECT * FROM kept_${engine}`))).toContain('one')
      const form = await (await ask(`${next}?ns=public`)).text()
      const [, csrf = ''] = /name='token' value='([^']+)'/.exec(form) ?? []
      const body = new URLSearchParams({ logout: 'Logout', token: csrf })
      expect((await ask(next, { method: 'POST', body })).status).toBe(200)
      expect((await ask(next)).status).toBe(404)
      await expect.poll(() => lent(engine)).toBe(0)
      const own = `${username}_shop`
      if (engine === 'mariadb') {
        const socketPath = join(runDir(), 'mariadb/mariadb.sock')
        const site = await mysql.createConnection({
          socketPath,
          user: own,
          password: PASSWORD,
          database: own,
        })
        const [rows] = await site.query('SELECT * FROM kept_mariadb')
        expect(rows).toEqual([{ one: 1 }])
        await site.end()
      } else {
        const owners = "SELECT tableowner AS o FROM pg_tables WHERE tablename LIKE 'berries%'"
        const client = new pg.Client({
          host: join(runDir(), 'postgresql'),
          user: own,
          password: PASSWORD,
          database: own,
        })
        await client.connect()
        expect((await client.query(owners)).rows).toEqual([{ o: own }])
        await client.end()
      }
    })

    it('runs as a user of its own, who is neither root nor an account', async () => {
      await sql(await opened(engine), 'SELECT 1')
      const uid = findUser(TOOL_USER)?.uid
      const masters = findProcesses(({ commandLine }) =>
        commandLine.includes(`${runDir()}/database-tool/`),
      )
      expect(masters.length).toBeGreaterThan(0)
      for (const master of masters) {
        expect(master.uid).toBe(uid)
        const status = readFileSync(`/proc/${master.pid}/status`, 'utf8')
        expect(status).toMatch(/^CapEff:\t0+$/m)
        expect(status).toMatch(/^NoNewPrivs:\t1$/m)
      }
    })
  })

  describe('attacks', () => {
    it('a ticket opens once, at its own address, and no other ticket does', async () => {
      const url = await ticketOf('mariadb')
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await ask(url)).status),
      )
      expect(statuses.sort()).toEqual([303, 404, 404, 404, 404, 404, 404, 404])
      for (const path of [
        '/open/',
        `/open/${'a'.repeat(43)}`,
        '/s/',
        `/s/${'a'.repeat(43)}/`,
        '/',
        '/api/auth/me',
      ])
        expect([path, (await ask(new URL(path, url).href)).status]).toEqual([path, 404])
      const post = await ask(await ticketOf('mariadb'), { method: 'POST' })
      expect(post.status).toBe(404)
    })

    it('nobody gets a ticket for the database of another account', async () => {
      for (const path of [
        toolPath('mariadb', other),
        `/api/databases/${ids[username]}/${other}_shop/tool`,
      ])
        expect((await panel.call('POST', path, {}, token)).status).toBe(404)
      expect((await panel.call('POST', toolPath('mariadb'), {}, null)).status).toBe(401)
    })

    it.each(['mariadb', 'postgresql'] as const)(
      'no field chooses another server, user or database (%s)',
      async (engine) => {
        const session = await opened(engine)
        const me =
          engine === 'mariadb'
            ? 'SELECT CONCAT("me:", CURRENT_USER()) AS x'
            : `SELECT 'me:' || current_user AS x`
        const wanted = [
          'server=127.0.0.1:3306&username=root',
          'pgsql=127.0.0.1&username=postgres',
          'sqlite=/etc/passwd&username=x',
          'mongo=169.254.169.254&username=x',
          'elastic=169.254.169.254&username=x',
          `username=root&db=${other}_shop`,
          'db=mysql',
        ]
        for (const query of wanted) {
          const page = await (await ask(`${session}?${query}&ns=public&sql=`)).text()
          const [, csrf = ''] = /name='token' value='([^']+)'/.exec(page) ?? []
          const auth = {
            'auth[driver]': 'sqlite',
            'auth[server]': '/etc/passwd',
            'auth[username]': 'root',
            'auth[password]': '',
            'auth[db]': other,
          }
          const body = new URLSearchParams({ query: me, token: csrf, ...auth })
          const answer = await ask(`${session}?${query}&ns=public&sql=`, { method: 'POST', body })
          expect([query, textOf(await answer.text())]).toEqual([
            query,
            expect.stringContaining(`me:${username}_shop`),
          ])
        }
      },
    )

    it.each([
      [
        'mariadb',
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t",
        /not allowed|disabled|forbidden/i,
      ],
      ['mariadb', "LOAD DATA INFILE '/etc/passwd' INTO TABLE t", /denied/i],
      ['mariadb', "SELECT 1 INTO OUTFILE '/tmp/berth-tool-evil'", /denied/i],
      ['mariadb', "SELECT 'got', LOAD_FILE('/etc/passwd')", /NULL/],
      ['mariadb', "GRANT ALL ON *.* TO 'x'@'%'", /denied/i],
      ['mariadb', 'SELECT * FROM mysql.user', /denied/i],
      ['postgresql', "COPY t FROM PROGRAM 'id'", /permission denied|must be superuser|pg_execute/i],
      ['postgresql', "COPY t FROM '/etc/passwd'", /permission denied|must be superuser|pg_read/i],
      ['postgresql', "SELECT pg_read_file('/etc/passwd')", /permission denied/i],
      ['postgresql', "SELECT lo_import('/etc/passwd')", /permission denied/i],
      ['postgresql', 'SET SESSION AUTHORIZATION postgres', /permission denied/i],
      ['postgresql', 'CREATE ROLE evil', /permission denied/i],
    ] as const)('%s refuses %s', async (engine, statement, said) => {
      const session = await opened(engine)
      await sql(session, 'CREATE TABLE IF NOT EXISTS t (a VARCHAR(200))')
      const page = textOf(await sql(session, statement))
      expect(page).toMatch(said)
      expect(page).not.toContain('root:x:0')
    })

    it('the tool reads no file of the server and loads nothing of elsewhere', async () => {
      const session = await opened('mariadb')
      for (const query of [
        'file=../../../etc/passwd',
        'file=/etc/passwd',
        'import=',
        'script=version',
      ])
        expect(await (await ask(`${session}?${query}`)).text()).not.toContain('root:x:0')
      const { headers } = await ask(session)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain('sandbox allow-forms allow-scripts')
      expect(policy).not.toContain('allow-same-origin')
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      const traversal = await ask(`${session}../../etc/passwd`)
      expect(traversal.status).toBe(404)
    })

    it('one person does not use up the tool for the others', async () => {
      const session = await opened('mariadb')
      const status = async () => (await ask(`${session}?ns=public&sql=`)).status
      const waiting = async () =>
        (
          await asRootOfMariadb(
            "SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'",
          )
        ).length
      const holder = await mysql.createConnection({
        socketPath: join(runDir(), 'mariadb/mariadb.sock'),
        user: 'root',
      })
      const held: Promise<string>[] = []
      try {
        await holder.query("SELECT GET_LOCK('held', 0)")
        // One after the other: its page takes a turn as well.
        for (const count of [1, 2, 3]) {
          held.push(sql(session, "SELECT GET_LOCK('held', 60)"))
          await expect.poll(waiting, { timeout: 20_000 }).toBe(count)
        }
        expect(await status()).toBe(429)
        // Not in another database of his either; and nobody else is kept waiting.
        const second = `${await opened('postgresql')}?ns=public`
        expect((await ask(second)).status).toBe(429)
        const theirToken = await logIn(other)
        const neighbour = await ticketOf('postgresql', theirToken, other)
        const { headers } = await ask(neighbour)
        const theirs = new URL(headers.get('location') ?? '', neighbour).href
        expect((await ask(`${theirs}?ns=public`)).status).toBe(200)
        await panel.call('POST', '/api/auth/logout', {}, theirToken)
        expect((await ask(theirs)).status).toBe(404)
      } finally {
        await holder.end()
        await Promise.all(held)
      }
      expect(await status()).toBe(200)
    })

    it('a session ends with that of the panel', async () => {
      const own = await logIn(username)
      const session = await opened('postgresql', own)
      expect((await ask(`${session}?ns=public`)).status).toBe(200)
      await panel.call('POST', '/api/auth/logout', {}, own)
      expect((await ask(session)).status).toBe(404)
      await expect.poll(() => lent('postgresql')).toBe(0)
      const forgotten = await logIn(username)
      await opened('mariadb', forgotten)
      expect(await lent('mariadb')).toBe(1)
      await panel.call('POST', '/api/auth/logout', {}, forgotten)
      // Without another request too.
      await expect.poll(() => lent('mariadb'), { timeout: 15_000 }).toBe(0)
      // And a ticket of a session that is over opens nothing.
      const late = await logIn(username)
      const url = await ticketOf('mariadb', late)
      await panel.call('POST', '/api/auth/logout', {}, late)
      expect((await ask(url)).status).toBe(404)
    })

    it('a suspension ends it, also where an administrator has it open', async () => {
      const admin = panel.token ?? ''
      const sessions = [await opened('mariadb', admin), await opened('postgresql', admin)]
      const url = await ticketOf('mariadb', admin)
      await panel.data('POST', `/api/accounts/${ids[username]}/suspend`, { reason: 'unpaid' })
      expect([await lent('mariadb'), await lent('postgresql')]).toEqual([0, 0])
      for (const session of sessions)
        expect(textOf(await (await ask(`${session}?ns=public&sql=`)).text())).not.toMatch(/Execute/)
      expect((await ask(url)).status).not.toBe(303)
      expect((await panel.call('POST', toolPath('mariadb'), {})).status).toBe(409)
      await panel.data('POST', `/api/accounts/${ids[username]}/unsuspend`, {})
      token = await logIn(username)
      expect(textOf(await sql(await opened('mariadb'), 'SELECT 41 + 1 AS answer'))).toContain('42')
    })

    it('a killed agent leaves no login behind', async () => {
      await opened('mariadb')
      await opened('postgresql')
      await instance.kill('agent')
      await instance.untilReady()
      await expect.poll(() => lent('mariadb'), { timeout: 30_000 }).toBe(0)
      // PostgreSQL's are swept when the server is needed first.
      await panel.data('GET', `/api/databases/${ids[username]}`)
      await sql(await opened('postgresql'), 'SELECT 1')
      expect(await lent('postgresql')).toBe(1)
    })
  })
})
