import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApplicationRow, DeploymentRow } from '#handlers/ports/store/application-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

/** A row that may be inserted. */
export const application = (
  accountId: number,
  change: Partial<ApplicationRow> = {},
): Omit<ApplicationRow, 'id'> => ({
  account_id: accountId,
  name: 'shop',
  folder: 'apps/shop',
  source_url: 'ssh://git@example.com/team/shop.git',
  source_branch: 'main',
  source_push: false,
  runtime_kind: 'node',
  runtime_version: null,
  install_command: 'npm ci',
  build_command: null,
  start_command: 'node server.js',
  public_folder: '',
  shared_paths: ['.env', 'storage/'],
  environment: { MODE: "it's", EMPTY: '' },
  listen: 'socket',
  health_path: '/',
  start_limit_secs: 60,
  restart: 'always',
  instances: 3,
  memory_mb: null,
  cpu_percent: 50,
  sleep_after_secs: null,
  desired: 'stopped',
  revision: 1,
  live_revision: null,
  release: null,
  site_root: null,
  created_at: NOW,
  updated_at: NOW,
  ...change,
})
let deployments = 0
const deployment = (applicationId: number, change: Partial<DeploymentRow> = {}): DeploymentRow => ({
  id: `deployment-${(deployments += 1)}`,
  application_id: applicationId,
  source: 'folder',
  commit: null,
  release: null,
  state: 'queued',
  who: 'alice',
  created_at: NOW,
  started_at: null,
  ended_at: null,
  problem: null,
  output: '',
  instance: null,
  ...change,
})
const LATER = '2026-11-01 12:00:01'

/** Applications and their deployments, in every store. */
export const applicationsStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`applications in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accounts = 0
    const newAccount = async (): Promise<{ id: number; domainId: number; username: string }> => {
      const username = `apps${(accounts += 1)}`
      const made = await store.insertAccount(
        account(username, { status: 'active' }),
        domain(`${username}.example`),
        operation(username, { state: 'done' }),
        UNLIMITED,
      )
      if (typeof made === 'string') throw new Error(made)
      return { id: made.account.id, domainId: made.domain.id, username }
    }
    const add = async (accountId: number, change: Partial<ApplicationRow> = {}) => {
      const made = await store.insertApplication(
        application(accountId, change),
        operation('apps', { state: 'done' }),
        null,
      )
      if (typeof made === 'string') throw new Error(made)
      return made
    }
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    test('keeps one under its name in the account, as it is changed, until it is deleted', async () => {
      const { id } = await newAccount()
      const made = await add(id)
      expect(made).toEqual({ id: made.id, ...application(id) })
      expect(await store.applicationByName(id, 'shop')).toEqual(made)
      expect(await store.applicationById(made.id)).toEqual(made)
      expect(await store.applicationByName(id + 1, 'shop')).toBeNull()
      await store.updateApplication(made.id, {})
      await store.updateApplication(made.id, { environment: {}, desired: 'running' })
      expect(await store.applicationById(made.id)).toEqual({
        ...made,
        environment: {},
        desired: 'running',
      })
      await store.deleteApplication(made.id)
      expect(await store.applicationById(made.id)).toBeNull()
      expect(await store.applicationByName(id, 'shop')).toBeNull()
    })
    test('takes each name once, and no more than the limit, with the operation or not at all', async () => {
      const { id } = await newAccount()
      const insert = (change: Partial<ApplicationRow>, limit: number | null) => {
        const opened = operation(`limits${id}`)
        return { opened, made: store.insertApplication(application(id, change), opened, limit) }
      }
      expect(await insert({}, 1).made).toMatchObject({ name: 'shop' })
      const again = insert({}, null)
      expect(await again.made).toBe('duplicate')
      const above = insert({ name: 'other' }, 1)
      expect(await above.made).toBe('limit')
      const open = (await store.openOperations()).map((one) => one.id)
      expect(open).not.toContain(again.opened.id)
      expect(open).not.toContain(above.opened.id)
      const four = ['a', 'b', 'c', 'd'].map((one) => insert({ name: one }, 3).made)
      expect((await Promise.all(four)).filter((one) => one === 'limit')).toHaveLength(2)
      expect(await store.accountUsage(id)).toMatchObject({ applications: 3 })
    })
    test('lists those of an account or of all with what was deployed last', async () => {
      const { id, username } = await newAccount()
      const first = await add(id, { name: 'first', runtime_kind: 'python' })
      const second = await add(id, { name: 'second', desired: 'running' })
      await store.insertDeployment(deployment(first.id, { state: 'live', ended_at: NOW }), 20)
      await store.insertDeployment(deployment(first.id, { created_at: LATER }), 20)
      const hook = { application_id: first.id, secret: 'x', created_at: NOW }
      for (const one of ['old', 'new']) await store.putApplicationHook({ ...hook, id: one })
      expect(await store.applicationHook('old')).toBeNull()
      expect(await store.applicationHook('new')).toEqual({ ...hook, id: 'new' })
      await store.putApplicationHook({ ...hook, application_id: 0, id: 'nobody' })
      expect(await store.applicationHook('nobody')).toBeNull()
      const { rows, total } = await store.listApplications({ accountId: id })
      expect(total).toBe(2)
      expect(rows).toEqual([
        {
          ...first,
          username,
          deployment_state: 'queued',
          deployment_at: LATER,
          hook_id: 'new',
        },
        { ...second, username, deployment_state: null, deployment_at: null, hook_id: null },
      ])
      const names = async (query: object) =>
        (await store.listApplications({ accountId: id, ...query })).rows.map((row) => row.name)
      expect(await names({ filters: { runtime: 'python' } })).toEqual(['first'])
      expect(await names({ filters: { desired: 'running' } })).toEqual(['second'])
      expect(await names({ sort: 'name', order: 'desc', page: 1, perPage: 1 })).toEqual(['second'])
      expect(await names({ q: 'SECO' })).toEqual(['second'])
      await store.deleteApplicationHook(first.id)
      expect(await store.applicationHook('new')).toBeNull()
      expect((await store.listApplications()).total).toBeGreaterThanOrEqual(2)
    })
    test('changes deployments until they have ended, and keeps the newest and the last live one', async () => {
      const { id } = await newAccount()
      const { id: applicationId } = await add(id)
      const live = deployment(applicationId, { state: 'live', ended_at: NOW })
      expect(await store.insertDeployment(live, 2)).toBe(true)
      expect(await store.deployment(live.id)).toEqual(live)
      expect(await store.deployment('nothing')).toBeNull()
      const next = deployment(applicationId, { source: 'git', commit: 'abc' })
      await store.insertDeployment(next, 2)
      const end = { state: 'failed', ended_at: LATER, problem: 'No.', output: 'ä\n' } as const
      await store.updateDeployment(next.id, end)
      await store.updateDeployment(next.id, { state: 'live', problem: null })
      expect(await store.deployment(next.id)).toEqual({ ...next, ...end })
      const failed = [1, 2, 3].map((second) =>
        deployment(applicationId, {
          created_at: `2026-11-01 12:01:0${second}`,
          ended_at: LATER,
          state: 'failed',
        }),
      )
      for (const one of failed) await store.insertDeployment(one, 2)
      const open = deployment(applicationId, { created_at: '2026-11-01 12:02:00' })
      await store.insertDeployment(open, 2)
      const left = (await store.listDeployments(applicationId)).map((one) => one.id)
      expect(left).toEqual([open.id, failed[2]?.id, failed[1]?.id, live.id])
      const opened = await store.openDeployments()
      expect(opened.filter((one) => one.application_id === applicationId)).toEqual([open])
      expect(await store.insertDeployment(deployment(987_654), 2)).toBe(false)
    })
    test('passes domains on to one until it is gone', async () => {
      const { id, domainId } = await newAccount()
      const made = await add(id)
      await store.insertDeployment(deployment(made.id), 20)
      await store.updateDomain(domainId, {
        application_id: made.id,
        application_paths: ['/a', "/it's"],
      })
      expect(await store.domainById(domainId)).toMatchObject({
        application_id: made.id,
        application_paths: ['/a', "/it's"],
      })
      await store.deleteApplication(made.id)
      expect(await store.domainById(domainId)).toMatchObject({
        application_id: null,
        application_paths: null,
      })
      expect(await store.listDeployments(made.id)).toEqual([])
    })
    test('goes with its account', async () => {
      const { id, domainId } = await newAccount()
      const made = await add(id)
      await store.updateDomain(domainId, { application_id: made.id })
      await store.deleteAccount(id)
      expect(await store.applicationById(made.id)).toBeNull()
    })
  })
}
