import { beforeAll, expect, test } from 'vitest'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import type { Answer, MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const START = `node -e "require('node:http').createServer((q,s)=>s.end('one'))"`
const APPLICATION = { runtime_kind: 'node', start_command: START }

interface Deployment {
  id: string
  state: string
  problem: string | null
  output: string
  who: string
  source: string
  commit: string | null
  release: string | null
}
interface Application {
  id: number
  state: string
  pending: boolean
  secrets: string[]
  domains: unknown[]
}

/** Applications of accounts. */
export const applicationsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('applications', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })
    const make = async (name: string, change: object = {}): Promise<Application> => {
      const { body } = await shared.admin.post('/api/applications', {
        account_id: 1,
        name,
        ...APPLICATION,
        ...change,
      })
      if (!body.ok) throw new Error(body.error)
      return body.data as Application
    }
    const at = (name: string, rest = ''): string => `/api/applications/1/${name}${rest}`
    const show = async (name: string) => (await shared.admin.get(at(name))).body.data as Application
    const deploy = (name: string): Promise<Answer> => shared.admin.post(at(name, '/deploy'))
    const deploymentsOf = async (name: string): Promise<Deployment[]> => {
      const list = (await shared.admin.get(at(name, '/deployments'))).body.data as Deployment[]
      const whole = list.map(({ id }) => shared.admin.get(at(name, `/deployments/${id}`)))
      return (await Promise.all(whole)).map(({ body }) => body.data as Deployment)
    }
    /** Polled: what is under way is told when somebody asks. */
    const until = async (name: string, state: string): Promise<Deployment> => {
      for (;;) {
        const found = (await deploymentsOf(name)).find((one) => one.state === state)
        if (found !== undefined) return found
      }
    }
    const answers = (name: string) => shared.instance.host.applications.answers('alice', name)
    const siteOf = async (domain: string): Promise<number> => {
      const { body } = await shared.admin.get(`/api/domains?q=${domain}`)
      return (body.data as { id: number }[])[0]?.id ?? 0
    }

    test('one is made with what is usual, shown, changed and removed', async () => {
      const { status, body } = await shared.admin.post('/api/applications', {
        account_id: 1,
        name: 'shop',
        ...APPLICATION,
        secrets: { API_KEY: 'not for anybody' },
      })
      const usual = {
        account_id: 1,
        username: 'alice',
        name: 'shop',
        folder: 'apps/shop',
        ...{ source_url: null, source_branch: null, source_push: false, release: null },
        runtime_kind: 'node',
        runtime_version: null,
        install_command: null,
        build_command: null,
        start_command: START,
        ...{ public_folder: '', shared_paths: [], site_root: null },
        environment: {},
        secrets: ['API_KEY'],
        listen: 'socket',
        health_path: null,
        start_limit_secs: 60,
        restart: 'always',
        instances: 1,
        memory_mb: null,
        cpu_percent: null,
        sleep_after_secs: null,
        desired: 'stopped',
        ...{ state: 'stopped', pid: null, since: null, restarts: 0, code: null, problem: null },
        running_instances: 0,
        ...{ pending: false, domains: [] },
        ...{ deployment_state: null, deployment_at: null, hook_id: null },
      }
      expect([status, body.data]).toEqual([
        200,
        {
          id: expect.any(Number),
          ...usual,
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ])
      expect((await shared.admin.get(at('shop'))).body.data).toEqual(body.data)
      const changed = await shared.admin.send('PATCH', at('shop'), {
        environment: { MODE: 'live' },
        folder: '/apps//other/'.slice(1),
        instances: 2,
        memory_mb: 256,
        cpu_percent: 50,
      })
      expect(changed.body.data).toMatchObject({
        environment: { MODE: 'live' },
        folder: 'apps/other',
        instances: 2,
        memory_mb: 256,
        cpu_percent: 50,
        secrets: ['API_KEY'],
      })
      expect(shared.instance.host.applications.kept.get('alice/shop')?.spec).toMatchObject({
        folder: 'apps/other',
        environment: { MODE: 'live' },
        instances: 2,
        memoryMb: 256,
        cpuPercent: 50,
      })
      const list = await shared.admin.get('/api/applications/1?runtime=node&desired=stopped')
      expect(list.body.data).toMatchObject([{ name: 'shop', state: 'stopped' }])
      expect((await shared.admin.get('/api/applications')).body.data).toMatchObject([
        { name: 'shop', username: 'alice', state: 'unknown', secrets: null },
      ])
      expect((await shared.admin.del(at('shop'))).body.data).toEqual({
        name: 'shop',
        deleted: true,
      })
      expect((await shared.admin.get(at('shop'))).status).toBe(404)
      expect((await shared.admin.del(at('shop'))).status).toBe(404)
      expect(shared.instance.host.applications.kept.size).toBe(0)
    })

    test('the versions that there are are told', async () => {
      expect((await shared.admin.get('/api/applications/runtimes')).body.data).toEqual({
        node: expect.arrayContaining([expect.stringMatching(/^\d+\.\d+\.\d+$/)]),
        python: expect.any(Array),
      })
    })

    test.each([
      ['name', { name: 'Shop' }],
      ['name', { name: '1shop' }],
      ['folder', { folder: '../bobby' }],
      ['folder', { folder: '/etc' }],
      ['folder', { folder: '' }],
      ['runtime_kind', { runtime_kind: 'ruby' }],
      ['runtime_version', { runtime_version: 'latest' }],
      ['runtime_version', { runtime_version: '1.2.3' }],
      ['runtime_version', { runtime_kind: 'none', runtime_version: '24.21.0' }],
      ['start_command', { start_command: ' ' }],
      ['start_command', { start_command: 'node a\nnode b' }],
      ['install_command', { install_command: 'x'.repeat(4097) }],
      ['environment', { environment: { 'A=B': 'x' } }],
      ['environment', { environment: { PORT: '1' } }],
      ['environment', { environment: { A: 'a\0b' } }],
      ['environment', { environment: { A: 1 } }],
      ['secrets', { secrets: { '1A': 'x' } }],
      ['secrets', { secrets: { A: 'x'.repeat(8193) } }],
      ['listen', { listen: 'udp' }],
      ['health_path', { health_path: 'health' }],
      ['health_path', { health_path: '/a b' }],
      ['start_limit_secs', { start_limit_secs: 0 }],
      ['restart', { restart: 'sometimes' }],
      ['instances', { instances: 0 }],
      ['instances', { instances: 17 }],
      ['memory_mb', { memory_mb: 1 }],
      ['cpu_percent', { cpu_percent: 0 }],
      ['cpu_percent', { cpu_percent: 12.5 }],
      ['sleep_after_secs', { sleep_after_secs: 5 }],
    ])('refuses a bad %s and names it', async (field, change) => {
      const { status, body } = await shared.admin.post('/api/applications', {
        account_id: 1,
        name: 'bad',
        ...APPLICATION,
        ...change,
      })
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
      expect((await shared.admin.get(at('bad'))).status).toBe(404)
    })

    test('a name is taken once in an account', async () => {
      await make('twice')
      const again = { account_id: 1, name: 'twice', ...APPLICATION }
      expect((await shared.admin.post('/api/applications', again)).status).toBe(409)
      const other = { ...again, account_id: 2 }
      expect((await shared.admin.post('/api/applications', other)).status).toBe(200)
    })

    test('it is installed, built and started, in its folder and with what it wrote', async () => {
      await make('built', { install_command: 'write fetched 0', build_command: 'write made 0' })
      const { status, body } = await deploy('built')
      expect([status, body.data]).toMatchObject([
        200,
        { state: 'live', who: 'boss', source: 'folder', commit: null, problem: null },
      ])
      expect((body.data as Deployment).output).toBe(
        '$ write fetched 0\nfetched\n$ write made 0\nmade',
      )
      const orders = shared.instance.host.cron.started.slice(-2)
      expect(orders).toMatchObject([
        { application: 'built', program: { kind: 'shell', line: 'write fetched 0' } },
        { application: 'built', program: { kind: 'shell', line: 'write made 0' } },
      ])
      expect(await show('built')).toMatchObject({
        state: 'running',
        desired: 'running',
        deployment_state: 'live',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })
      expect(answers('built')).toBe('one')
      expect((await deploymentsOf('built')).map(({ state }) => state)).toEqual(['live'])
    })

    test.each([
      ['installation', { install_command: 'write nothing-there 3' }, 'exit code 3'],
      ['build', { build_command: 'write no-such-file 1' }, 'exit code 1'],
      ['start', { start_command: 'echo broken; exit 4' }, 'code 4'],
    ])('a failing %s leaves what runs as it was', async (part, change, why) => {
      const name = `fails-${part}`
      await make(name)
      await deploy(name)
      await shared.admin.send('PATCH', at(name), change)
      const { status, body } = await deploy(name)
      expect([status, body.error]).toEqual([422, expect.stringContaining(why)])
      expect(body.error).toContain('What ran before goes on.')
      const [last] = await deploymentsOf(name)
      expect(last).toMatchObject({ state: 'failed', problem: expect.stringContaining(why) })
      expect(answers(name)).toBe('one')
      expect(await show(name)).toMatchObject({ state: 'running', deployment_state: 'failed' })
    })

    test('as a job it is followed while it writes, and cancelled', async () => {
      await make('slow', { install_command: 'last' })
      const asked = await shared.admin.send('POST', at('slow', '/deploy'), undefined, {
        prefer: 'respond-async',
      })
      expect(asked.body.data).toMatchObject({ job_id: expect.any(String) })
      const { id, output } = await until('slow', 'installing')
      expect(output).toBe('$ last\n')
      const cancel = at('slow', `/deployments/${id}/cancel`)
      expect((await shared.admin.post(cancel)).body.data).toEqual({ id, cancelled: true })
      expect(await until('slow', 'failed')).toMatchObject({
        id,
        problem: 'The installation was cancelled.',
      })
      expect((await shared.admin.post(cancel)).status).toBe(409)
      expect((await shared.admin.post(at('slow', '/deployments/x/cancel'))).status).toBe(404)
      expect((await show('slow')).state).toBe('stopped')
    })

    test('of deployments that wait the last alone is carried out', async () => {
      await make('queue', { install_command: 'last' })
      const first = deploy('queue')
      const { id } = await until('queue', 'installing')
      await shared.admin.send('PATCH', at('queue'), { install_command: null })
      const second = deploy('queue')
      await until('queue', 'queued')
      const third = deploy('queue')
      for (;;) {
        const waiting = (await deploymentsOf('queue')).filter(({ state }) => state === 'queued')
        if (waiting.length === 2) break
      }
      await shared.admin.post(at('queue', `/deployments/${id}/cancel`))
      expect((await first).status).toBe(422)
      expect((await second).body.data).toMatchObject({ state: 'superseded' })
      expect((await third).body.data).toMatchObject({ state: 'live' })
      const states = (await deploymentsOf('queue')).map(({ state }) => state)
      expect(states).toEqual(['live', 'superseded', 'failed'])
    })

    test('it is started and stopped without being built', async () => {
      await make('plain', { install_command: 'write no 1' })
      expect((await shared.admin.post(at('plain', '/start'))).body.data).toMatchObject({
        state: 'running',
        desired: 'running',
      })
      expect(answers('plain')).toBe('one')
      expect((await shared.admin.post(at('plain', '/stop'))).body.data).toMatchObject({
        state: 'stopped',
        desired: 'stopped',
      })
      expect(answers('plain')).toBeNull()
      await shared.admin.send('PATCH', at('plain'), { start_command: 'exit 2' })
      expect((await shared.admin.post(at('plain', '/start'))).status).toBe(422)
      expect(await deploymentsOf('plain')).toEqual([])
    })

    test('values of secret variables are answered nowhere', async () => {
      await make('quiet')
      const change = { secrets: { TOKEN: 'whisper-1', OTHER: 'whisper-2' } }
      const changed = await shared.admin.send('PATCH', at('quiet', '/secrets'), change)
      expect(changed.body.data).toMatchObject({ secrets: ['OTHER', 'TOKEN'] })
      expect(JSON.stringify(changed.body)).not.toContain('whisper')
      const less = await shared.admin.send('PATCH', at('quiet', '/secrets'), {
        secrets: { OTHER: null },
      })
      expect(less.body.data).toMatchObject({ secrets: ['TOKEN'] })
      const kept = shared.instance.host.applications.kept.get('alice/quiet')
      expect(kept?.secrets.get('TOKEN')).toBe('whisper-1')
      for (const path of [at('quiet'), '/api/applications/1', '/api/audit', '/api/jobs'])
        expect(JSON.stringify((await shared.admin.get(path)).body)).not.toContain('whisper')
      const bad = { secrets: { PATH: '/tmp' } }
      expect((await shared.admin.send('PATCH', at('quiet', '/secrets'), bad)).status).toBe(400)
    })

    test('a domain is passed on to it, whole or below some paths, until it is released', async () => {
      await make('site')
      const id = await siteOf('alice.example')
      const path = at('site', `/domains/${id}`)
      const bound = await shared.admin.send('PUT', path)
      expect(bound.body.data).toMatchObject({
        domains: [{ id, domain_name: 'alice.example', paths: null }],
      })
      const host = () => shared.instance.host.webServer.hosts.get('alice.example')
      expect(host()?.application).toEqual({ name: 'site', paths: null })
      const some = { paths: ['/shop/', '/api', '/api'] }
      expect((await shared.admin.send('PUT', path, some)).body.data).toMatchObject({
        domains: [{ paths: ['/api', '/shop'] }],
      })
      expect(host()?.application).toEqual({ name: 'site', paths: ['/api', '/shop'] })
      expect((await shared.admin.get(`/api/domains/${id}`)).body.data).toMatchObject({
        application_paths: ['/api', '/shop'],
      })
      const { purges } = shared.instance.host.webServer
      const before = purges.length
      await deploy('site')
      expect(purges.slice(before)).toContainEqual(['alice.example'])
      for (const paths of [[], ['api'], ['/a/../b'], ['/a?b'], ['/a b']])
        expect((await shared.admin.send('PUT', path, { paths })).status).toBe(400)
      expect((await shared.admin.del(path)).body.data).toMatchObject({ domains: [] })
      expect(host()?.application).toBeUndefined()
      expect((await shared.admin.del(path)).status).toBe(404)
      const foreign = at('site', `/domains/${await siteOf('bobby.example')}`)
      expect((await shared.admin.send('PUT', foreign)).status).toBe(404)
    })

    test('with its removal its domains are served by their files again', async () => {
      await make('leaves')
      const id = await siteOf('alice.example')
      await shared.admin.send('PUT', at('leaves', `/domains/${id}`))
      await deploy('leaves')
      expect((await shared.admin.del(at('leaves'))).status).toBe(200)
      const host = shared.instance.host.webServer.hosts.get('alice.example')
      expect(host?.application).toBeUndefined()
      expect((await shared.admin.get(`/api/domains/${id}`)).body.data).toMatchObject({
        application_id: null,
        application_paths: null,
      })
      expect(answers('leaves')).toBeNull()
    })

    test('changes wait for the next deployment', async () => {
      await make('waits')
      await deploy('waits')
      expect((await show('waits')).pending).toBe(false)
      await shared.admin.send('PATCH', at('waits'), { start_command: START.replace('one', 'two') })
      expect((await show('waits')).pending).toBe(true)
      expect(answers('waits')).toBe('one')
      await deploy('waits')
      expect(answers('waits')).toBe('two')
    })

    test('an account sees and changes its own alone, as many as its plan allows', async () => {
      const bobby = await accountClient(shared.instance, 'bobby')
      await make('mine')
      const paths = ['', '/log', '/deployments']
      for (const path of ['/api/applications/1', ...paths.map((rest) => at('mine', rest))])
        expect((await bobby.get(path)).status).toBe(404)
      expect((await bobby.get('/api/applications')).status).toBe(403)
      expect((await bobby.post(at('mine', '/deploy'))).status).toBe(404)
      expect((await bobby.get('/api/applications/2/mine')).status).toBe(404)
      const own = (name: string) =>
        bobby.post('/api/applications', { account_id: 2, name, ...APPLICATION })
      expect((await own('second')).status).toBe(200)
      const { status, body } = await own('third')
      expect([status, body.error]).toEqual([
        403,
        expect.stringContaining('2 of the 2 applications'),
      ])
      const limits = (await bobby.get('/api/accounts/2/limits')).body.data
      expect(limits).toMatchObject({ applications: { used: 2, limit: 2 } })
    })

    test('nothing of a suspended account runs, and with it everything goes', async () => {
      await createAccount(shared.admin, 'carol')
      const carol = `/api/applications/3/shop`
      const body = { account_id: 3, name: 'shop', ...APPLICATION }
      expect((await shared.admin.post('/api/applications', body)).status).toBe(200)
      expect((await shared.admin.post(`${carol}/deploy`)).status).toBe(200)
      await shared.admin.post('/api/accounts/3/suspend', { reason: 'unpaid' })
      expect((await shared.admin.get(carol)).body.data).toMatchObject({ state: 'stopped' })
      expect((await shared.admin.post(`${carol}/deploy`)).status).toBe(409)
      expect((await shared.admin.post(`${carol}/start`)).status).toBe(409)
      await shared.admin.post('/api/accounts/3/unsuspend')
      expect((await shared.admin.get(carol)).body.data).toMatchObject({ state: 'running' })
      expect((await shared.admin.del('/api/accounts/3')).status).toBe(200)
      expect(shared.instance.host.applications.kept.has('carol/shop')).toBe(false)
    })

    test('one is made from a repository, and goes back to an earlier release', async () => {
      const url = 'ssh://git@example.com/team/fetched.git'
      await make('fetched', {
        source_url: 'git@example.com:team/fetched.git',
        source_branch: 'main',
      })
      expect(await show('fetched')).toMatchObject({ source_url: url, release: null })
      const key = await shared.admin.post(at('fetched', '/deploy-key'))
      expect(key.body.data).toEqual({ public_key: expect.stringMatching(/^ssh-ed25519 /) })
      const first = (await deploy('fetched')).body.data as Deployment
      expect(first).toMatchObject({
        ...{ state: 'live', source: 'git', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
        release: expect.stringMatching(/^\d{14}-[0-9a-f]{6}$/),
        output: `$ git clone --branch main ${url}\nfetched`,
      })
      expect(await show('fetched')).toMatchObject({ release: first.release })
      const second = (await deploy('fetched')).body.data as Deployment
      expect(second.release).not.toBe(first.release)
      const restore = (id: string) => shared.admin.post(at('fetched', `/deployments/${id}/restore`))
      expect((await restore(first.id)).body.data).toMatchObject({
        ...{ state: 'live', source: 'git', output: '' },
        ...{ commit: first.commit, release: first.release },
      })
      expect(await show('fetched')).toMatchObject({ release: first.release, state: 'running' })
      const { applications } = shared.instance.host
      expect(applications.kept.get('alice/fetched')).toMatchObject({
        current: first.release,
        releases: new Set([first.release, second.release]),
      })

      // What cannot be fetched leaves what runs.
      const missing = { source_url: 'https://example.com/missing.git', source_branch: null }
      await shared.admin.send('PATCH', at('fetched'), missing)
      const failed = await deploy('fetched')
      expect([failed.status, failed.body.error]).toEqual([422, expect.stringContaining('goes on')])
      expect(await show('fetched')).toMatchObject({ release: first.release, state: 'running' })
      const [last] = await deploymentsOf('fetched')
      expect((await restore(last?.id ?? '')).status).toBe(409)
      expect((await restore('nowhere')).status).toBe(404)

      // Without a repository it is what lies in its folder again.
      await shared.admin.send('PATCH', at('fetched'), { source_url: null })
      expect((await deploy('fetched')).body.data).toMatchObject({ source: 'folder', release: null })
      expect(await show('fetched')).toMatchObject({ release: null })
    })

    test('one without a start line is a site, served from its release', async () => {
      const site = {
        ...{ runtime_kind: 'none', start_command: null, public_folder: 'public' },
        ...{ source_url: 'https://example.com/team/pages.git', shared_paths: ['.env', 'storage/'] },
      }
      await make('pages', site)
      const id = await siteOf('alice.example')
      const path = at('pages', `/domains/${id}`)
      expect((await shared.admin.send('PUT', path, { paths: ['/a'] })).status).toBe(400)
      await shared.admin.send('PUT', path)
      const host = () => shared.instance.host.webServer.hosts.get('alice.example')
      const before = host()?.root
      expect([before, host()?.application]).toEqual([
        expect.stringMatching(/public_html$/),
        undefined,
      ])
      expect((await shared.admin.post(at('pages', '/start'))).status).toBe(409)
      const first = (await deploy('pages')).body.data as Deployment
      expect(first).toMatchObject({ state: 'live', source: 'git' })
      const rootOf = ({ release }: Deployment) => `apps/pages/releases/${release}/public`
      expect(await show('pages')).toMatchObject({ state: 'served', site_root: rootOf(first) })
      expect(host()?.root).toMatch(new RegExp(`/alice/${rootOf(first)}$`))
      expect(host()?.application).toBeUndefined()
      const kept = shared.instance.host.applications.kept.get('alice/pages')
      expect(kept?.shared.get(first.release ?? '')).toEqual(['.env', 'storage/'])
      expect((await shared.admin.post(at('pages', '/stop'))).status).toBe(409)

      // What is not there is not served; what was goes on.
      await shared.admin.send('PATCH', at('pages'), { public_folder: 'missing' })
      const failed = await deploy('pages')
      expect([failed.status, failed.body.error]).toEqual([422, expect.stringContaining('goes on')])
      expect(host()?.root).toMatch(new RegExp(`/alice/${rootOf(first)}$`))
      await shared.admin.send('PATCH', at('pages'), { public_folder: 'public' })
      const { webServer } = shared.instance.host.ports
      const { apply } = webServer
      webServer.apply = () => Promise.reject(new Error('no web server'))
      expect((await deploy('pages')).status).toBe(422)
      webServer.apply = apply
      expect(await show('pages')).toMatchObject({ site_root: rootOf(first) })
      expect(kept?.current).toBe(first.release)

      // A program takes its place, and the other way round.
      await shared.admin.send('PATCH', at('pages'), { start_command: START })
      expect(host()?.root).toMatch(/public$/)
      expect((await shared.admin.post(at('pages', '/start'))).status).toBe(409)
      expect((await deploy('pages')).status).toBe(200)
      expect(host()).toMatchObject({ root: before, application: { name: 'pages', paths: null } })
      expect(answers('pages')).toBe('one')
      await shared.admin.send('PATCH', at('pages'), { start_command: null })
      expect(host()?.application).toEqual({ name: 'pages', paths: null })
      await deploy('pages')
      expect(host()?.application).toBeUndefined()
      expect(answers('pages')).toBeNull()
      await shared.admin.del(at('pages'))
      expect(host()?.root).toBe(before)
    })

    test.each([
      { start_command: null },
      { public_folder: '../other' },
      { public_folder: '.git' },
      { public_folder: '/public' },
      { shared_paths: ['a//b'] },
      { shared_paths: ['storage/', 'storage/logs'] },
      { shared_paths: ['..'] },
    ])('%j is no site', async (change) => {
      const body = { account_id: 1, name: 'wrong', ...APPLICATION, ...change }
      expect((await shared.admin.post('/api/applications', body)).status).toBe(400)
    })

    test('one is made from a repository of its own, and a push to its branch deploys it', async () => {
      const { host } = shared.instance
      await make('pushed', { source_push: true })
      expect(host.applications.kept.get('alice/pushed')?.spec.repository).toEqual({
        branch: 'main',
      })
      const place = await shared.admin.get(at('pushed', '/repository'))
      expect(place.body.data).toEqual({
        url: expect.stringMatching(/^ssh:\/\/alice@.*\/pushed\.git$/),
        reason: null,
      })
      const first = (await deploy('pushed')).body.data as Deployment
      expect(first).toMatchObject({ state: 'live', source: 'git' })
      expect(first.output).toContain('git clone pushed.git')
      const both = { source_url: 'https://example.com/a.git' }
      expect((await shared.admin.send('PATCH', at('pushed'), both)).status).toBe(400)
      const none = await shared.admin.send('PATCH', at('pushed'), { source_push: false })
      expect(none.body.data).toMatchObject({ source_push: false })
      const nowhere = await shared.admin.get(at('pushed', '/repository'))
      expect(nowhere.body.data).toMatchObject({ url: null })
      await shared.admin.del(at('pushed'))
    })

    test('a hook deploys after pushes to its branch, for who knows its secret', async () => {
      await make('hooked', {
        source_url: 'https://example.com/team/hooked.git',
        source_branch: 'live',
      })
      const renew = async () => {
        const { body } = await shared.admin.post(at('hooked', '/hook'))
        return body.data as { url: string; path: string; secret: string }
      }
      const old = await renew()
      const { path, secret, url } = await renew()
      expect(url.endsWith(path)).toBe(true)
      expect(await show('hooked')).toMatchObject({ hook_id: path.split('/').at(-1) })
      const call = (to: string, body: string, headers: Record<string, string>) =>
        shared.instance.fetch(to, { method: 'POST', body, headers })
      const signed = async (body: string, key = secret) => {
        const algorithm = { name: 'HMAC', hash: 'SHA-256' }
        const bytes = new TextEncoder()
        const made = await crypto.subtle.importKey('raw', bytes.encode(key), algorithm, false, [
          'sign',
        ])
        const mac = await crypto.subtle.sign('HMAC', made, bytes.encode(body))
        return `sha256=${[...new Uint8Array(mac)].map((one) => one.toString(16).padStart(2, '0')).join('')}`
      }
      const push = JSON.stringify({ ref: 'refs/heads/live', repository: { name: 'ä' } })
      const hub = async (body: string, more: Record<string, string> = {}) =>
        call(path, body, { 'x-hub-signature-256': await signed(body), ...more })
      const statusOf = async (answer: Promise<Response>) => (await answer).status

      // Nobody else: no secret, a wrong one, a signature of something else, one that is gone.
      expect(await statusOf(call(path, push, {}))).toBe(401)
      expect(await statusOf(call(path, push, { 'x-gitlab-token': 'x' }))).toBe(401)
      expect(await statusOf(call(path, push, { 'x-gitlab-token': old.secret }))).toBe(401)
      const other = await signed(`${push} `)
      expect(await statusOf(call(path, push, { 'x-hub-signature-256': other }))).toBe(401)
      const wrong = { 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': secret }
      expect(await statusOf(call(path, push, wrong))).toBe(401)
      expect(await statusOf(call(old.path, push, { 'x-gitlab-token': old.secret }))).toBe(404)
      expect(await deploymentsOf('hooked')).toEqual([])

      // Nothing that concerns it.
      const dataOf = async (answer: Promise<Response>) =>
        ((await (await answer).json()) as { data: { job_id: string | null; reason: string } }).data
      const elsewhere = JSON.stringify({ ref: 'refs/heads/main' })
      expect((await dataOf(hub(elsewhere))).reason).toContain('live')
      expect((await dataOf(hub('{}', { 'x-github-event': 'ping' }))).job_id).toBeNull()
      const gone = JSON.stringify({ ref: 'refs/heads/live', deleted: true })
      expect((await dataOf(hub(gone))).job_id).toBeNull()
      expect(await statusOf(hub('payload=%7B%7D'))).toBe(400)
      expect(await statusOf(hub('x'.repeat(2 ** 20 + 1)))).toBe(413)
      expect(await deploymentsOf('hooked')).toEqual([])

      // A push, in the ways of GitHub and of GitLab.
      const asked = await dataOf(hub(push, { 'x-github-event': 'push' }))
      expect(asked).toEqual({ job_id: expect.any(String), reason: null })
      await expect.poll(async () => (await deploymentsOf('hooked'))[0]?.state).toBe('live')
      expect((await deploymentsOf('hooked'))[0]).toMatchObject({ who: 'hook' })
      const lab = { 'x-gitlab-token': secret, 'x-gitlab-event': 'Push Hook' }
      expect((await dataOf(call(path, push, lab))).job_id).not.toBeNull()
      await expect.poll(async () => (await deploymentsOf('hooked')).length).toBe(2)
      const audit = await shared.admin.get('/api/audit?q=hooks/applications')
      expect(JSON.stringify(audit.body.data)).toContain('name=hooked')
      expect(JSON.stringify(audit.body.data)).not.toContain(secret)
      expect(JSON.stringify((await shared.admin.get(at('hooked'))).body)).not.toContain(secret)

      expect((await shared.admin.del(at('hooked', '/hook'))).status).toBe(200)
      expect(await statusOf(hub(push))).toBe(404)
      expect((await shared.admin.del(at('hooked', '/hook'))).status).toBe(200)
      await renew()
      expect((await shared.admin.del(at('hooked'))).status).toBe(200)
    })

    test('only the last five releases can be gone back to', async () => {
      await make('many', { source_url: 'https://example.com/team/many.git' })
      const all: Deployment[] = []
      for (let count = 0; count < 6; count += 1)
        all.push((await deploy('many')).body.data as Deployment)
      const restore = (one: Deployment | undefined) =>
        shared.admin.post(at('many', `/deployments/${one?.id}/restore`))
      expect((await restore(all[0])).status).toBe(409)
      expect((await restore(all[1])).status).toBe(200)
      const kept = shared.instance.host.applications.kept.get('alice/many')
      expect(kept?.releases).toEqual(new Set(all.slice(1).map(({ release }) => release)))
    })

    test.each([
      { source_url: 'file:///etc' },
      { source_url: 'ext::sh -c x' },
      { source_url: 'https://user:word@example.com/a.git' },
      { source_url: '/srv/a.git' },
      { source_url: 'https://example.com/a.git', source_branch: '--upload-pack=x' },
    ])('%j is no repository', async (source) => {
      const { status } = await shared.admin.post('/api/applications', {
        ...{ account_id: 1, name: 'wrong', ...APPLICATION },
        ...source,
      })
      expect(status).toBe(400)
    })
  })
}
