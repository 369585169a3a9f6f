import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  ApplicationsPort,
  ApplicationSpec,
  ApplicationState,
} from '#handlers/ports/host/applications.ts'

/** A port with one account of which no application is known. */
export interface ApplicationsPortSubject {
  applications: ApplicationsPort
  username: string
  /** What an application answers to `GET /` by the way that visitors take; null: nothing answers. */
  answers(name: string): Promise<string | null>
  suspend(): Promise<void>
  unsuspend(): Promise<void>
  dispose(): Promise<void>
}

/** A line that says something and then answers requests with one word; `exec` so that no shell stands between. */
const answering = (word: string): string =>
  `exec node -e "console.log('hello ${word}');require('node:http').createServer((q,s)=>s.end('${word}')).listen(process.env.SOCKET)"`

/** What every implementation of `ApplicationsPort` keeps to. */
export const applicationsPortContract = (
  label: string,
  create: () => Promise<ApplicationsPortSubject>,
): void => {
  describe(`ApplicationsPort: ${label}`, () => {
    let subject: ApplicationsPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    const spec = (name: string, change: Partial<ApplicationSpec> = {}): ApplicationSpec => ({
      username: subject.username,
      name,
      folder: `apps/${name}`,
      runtime: { kind: 'node', version: null },
      start: answering('one'),
      environment: {},
      listen: 'socket',
      healthPath: '/',
      startLimitSecs: 30,
      restart: 'on-failure',
      memoryMb: null,
      sleepAfterSecs: null,
      ...change,
    })
    const of = (name: string) => ({ username: subject.username, name })
    const put = (
      name: string,
      change: Partial<ApplicationSpec> = {},
      secrets: Record<string, string | null> = {},
    ) => subject.applications.put({ spec: spec(name, change), secrets })
    const stateOf = async (name: string): Promise<ApplicationState | undefined> =>
      (await subject.applications.states({ username: subject.username })).find(
        (one) => one.name === name,
      )

    it('lists versions, and refuses one that it does not list', async () => {
      const { node, python } = await subject.applications.runtimes()
      expect(node.length).toBeGreaterThan(0)
      for (const version of [...node, ...python]) expect(version).toMatch(/^\d+(\.\d+)*$/)
      await expect(
        put('versions', { runtime: { kind: 'node', version: '1.2.3' } }),
      ).rejects.toMatchObject({ status: 400 })
      await put('versions', { runtime: { kind: 'node', version: node[0] ?? null } })
      await subject.applications.remove(of('versions'))
    })
    it('records one without starting it', async () => {
      await put('record')
      expect(await stateOf('record')).toEqual({
        name: 'record',
        state: 'stopped',
        pid: null,
        since: null,
        restarts: 0,
        runningInstances: 0,
        code: null,
        problem: null,
        secrets: [],
      })
      expect(await subject.answers('record')).toBeNull()
    })
    it('starts one, tells how it is and what it wrote, and stops it', async () => {
      await put('runs')
      await subject.applications.deploy(of('runs'))
      const state = await stateOf('runs')
      expect(state).toMatchObject({ state: 'running', restarts: 0, problem: null })
      expect(state?.pid).toBeGreaterThan(1)
      expect(Number.isNaN(Date.parse(state?.since ?? ''))).toBe(false)
      expect(await subject.answers('runs')).toBe('one')
      expect((await subject.applications.log(of('runs'))).text).toContain('hello one')
      await subject.applications.stop(of('runs'))
      expect(await stateOf('runs')).toMatchObject({ state: 'stopped', pid: null })
      expect(await subject.answers('runs')).toBeNull()
      await subject.applications.deploy(of('runs'))
      expect(await subject.answers('runs')).toBe('one')
    })
    it('goes on with what runs until the next deploy, and where that fails', async () => {
      await put('changes')
      await subject.applications.deploy(of('changes'))
      await put('changes', { start: answering('two') })
      expect(await subject.answers('changes')).toBe('one')
      await subject.applications.deploy(of('changes'))
      expect(await subject.answers('changes')).toBe('two')
      await put('changes', { start: 'echo broken on purpose; exit 3' })
      const failure = expect(subject.applications.deploy(of('changes'))).rejects
      await failure.toMatchObject({
        status: 422,
        message: expect.stringContaining('broken on purpose'),
      })
      expect(await subject.answers('changes')).toBe('two')
      expect(await stateOf('changes')).toMatchObject({ state: 'running' })
    })
    it('runs as many instances as there shall be', async () => {
      await put('several', { instances: 2 })
      await subject.applications.deploy(of('several'))
      expect(await stateOf('several')).toMatchObject({ state: 'running', runningInstances: 2 })
      expect(await subject.answers('several')).toBe('one')
      await put('several')
      await subject.applications.deploy(of('several'))
      expect(await stateOf('several')).toMatchObject({ state: 'running', runningInstances: 1 })
      await subject.applications.remove(of('several'))
    })
    it('tells names of secret variables and never a value', async () => {
      await put('secret', {}, { API_KEY: 'not for anybody', TOKEN: 'nor this' })
      expect(await stateOf('secret')).toMatchObject({ secrets: ['API_KEY', 'TOKEN'] })
      await put('secret', {}, { TOKEN: null })
      const states = await subject.applications.states({ username: subject.username })
      expect(states.find(({ name }) => name === 'secret')).toMatchObject({ secrets: ['API_KEY'] })
      expect(JSON.stringify(states)).not.toContain('not for anybody')
    })
    it('forgets what is removed, with its secrets', async () => {
      await put('gone', {}, { API_KEY: 'old' })
      await subject.applications.deploy(of('gone'))
      await subject.applications.remove(of('gone'))
      expect(await stateOf('gone')).toBeUndefined()
      expect(await subject.answers('gone')).toBeNull()
      await subject.applications.remove(of('gone'))
      await put('gone')
      expect(await stateOf('gone')).toMatchObject({ secrets: [] })
      await subject.applications.remove(of('gone'))
    })
    it('does nothing for what it does not know', async () => {
      await expect(subject.applications.deploy(of('never'))).rejects.toMatchObject({ status: 404 })
      const nobody = { ...spec('shop'), username: 'nobodyatall' }
      await expect(subject.applications.put({ spec: nobody, secrets: {} })).rejects.toMatchObject({
        status: 404,
      })
      expect((await subject.applications.log(of('never'))).text).toBe('')
    })
    it('has one deploy key for each, whose secret half it never tells', async () => {
      await put('keyed')
      const { publicKey } = await subject.applications.deployKey(of('keyed'))
      expect(publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ /)
      expect(await subject.applications.deployKey(of('keyed'))).toEqual({ publicKey })
      await put('other')
      expect((await subject.applications.deployKey(of('other'))).publicKey).not.toBe(publicKey)
    })
    it('switches to no release that is not there', async () => {
      await put('released')
      const release = '20260101000000-0a1b2c'
      const switched = subject.applications.switch({
        ...of('released'),
        release,
        serves: '',
        keep: [],
      })
      await expect(switched).rejects.toMatchObject({ status: 409 })
      expect(await subject.applications.commit({ ...of('released'), release })).toBeNull()
    })
    it('ends those of a suspended account, and starts them again with it', async () => {
      await put('sleeper')
      await put('halted')
      await subject.applications.deploy(of('sleeper'))
      await subject.applications.deploy(of('halted'))
      await subject.applications.stop(of('halted'))
      await subject.suspend()
      expect(await subject.answers('sleeper')).toBeNull()
      await expect(subject.applications.deploy(of('sleeper'))).rejects.toMatchObject({
        status: 409,
      })
      await subject.unsuspend()
      await expect.poll(() => subject.answers('sleeper'), { timeout: 30_000 }).toBe('one')
      expect(await subject.answers('halted')).toBeNull()
    })
  })
}
