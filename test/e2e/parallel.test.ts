import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

/** Of the order in which all is asked for. */
const SEED = Number(process.env['BERTH_PARALLEL_SEED'] ?? 7)

shareInstance({ business: true })

interface Account {
  id: number
  username: string
  home: string
}

const account = (username: string): [string, string, unknown] => [
  'POST',
  '/api/accounts',
  {
    username,
    domain: `${username}.example.com`,
    email: `${username}@example.com`,
    password: 'long enough 1',
    plan: 'business',
  },
]

test('200 mixed operations in parallel leave records and host in agreement', async () => {
  // What is changed, suspended and deleted while others are made.
  const standing = await Promise.all(
    Array.from({ length: 10 }, () => panel.data<Account>(...account(randomUsername()))),
  )

  const operations: [string, string, unknown?][] = []
  for (let at = 0; at < 16; at++) operations.push(account(randomUsername()))
  standing.forEach(({ id, username, home }, at) => {
    const path = `/api/accounts/${id}`
    for (let n = 0; n < 4; n++) {
      operations.push([
        'POST',
        '/api/domains',
        {
          account_id: id,
          domain_name: `d${n}-${username}.example.com`,
          domain_type: 'addon',
          document_root: `${home}/d${n}`,
        },
      ])
    }
    for (let n = 0; n < 3; n++)
      operations.push([
        'POST',
        '/api/databases',
        { account_id: id, db_name: `db${n}`, db_password: 'long enough 1', engine: 'mariadb' },
      ])
    operations.push(['DELETE', `/api/databases/${id}/db0`])
    operations.push(['POST', `${path}/suspend`], ['POST', `${path}/unsuspend`])
    operations.push(['POST', `${path}/suspend`])
    operations.push(['PATCH', path, { disk_quota_mb: 100 + at }])
    operations.push(['POST', `${path}/unsuspend`])
    operations.push(['POST', '/api/files/write', fileOf(id)])
    // A third of them goes, in the middle of all that.
    if (at % 3 === 0) operations.push(['DELETE', path])
  })
  while (operations.length < 200) operations.push(['POST', '/api/veloserve/regenerate'])
  expect(operations).toHaveLength(200)

  // A known shuffle, so that a failure comes back as far as time lets it.
  let seed = SEED
  const order = operations
    .map((operation) => ({ operation, key: (seed = (seed * 16807) % 2147483647) }))
    .sort((a, b) => a.key - b.key)
  const answers = await Promise.all(
    order.map(async ({ operation: [method, path, body] }) => {
      for (;;) {
        const { status, body: answer } = await panel.call(method, path, body)
        // A file waits ten seconds for its slot, which is no time on a machine that is busy with all this.
        if (status === 503 && answer.error?.startsWith('Too many files')) continue
        return { call: `${method} ${path}`, status, error: answer.error }
      }
    }),
  )
  // Refusals are right (suspended, being deleted, gone); faults and lost answers are not.
  const faults = answers.filter(({ status }) => ![200, 403, 404, 409].includes(status))
  expect(faults, faults.length > 0 ? errorsLogged() : '').toEqual([])
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(60)

  const found = driftOf(await panel.data('GET', '/api/doctor'))
  expect(found, found.length === 0 ? '' : explanation(found, answers)).toEqual([])

  // What the panel lists is what there is.
  const accounts = await panel.data<(Account & { status: string; primary_domain: string })[]>(
    'GET',
    '/api/accounts',
  )
  const users = (await runCommand('getent', ['passwd'])).stdout
    .split('\n')
    .filter((line) => line.includes(`:${instance.config.paths.home_base}/`))
    .map((line) => line.split(':')[0])
  expect(users.sort()).toEqual(accounts.map(({ username }) => username).sort())
  for (const { status, primary_domain } of accounts)
    expect(
      (await instance.site(primary_domain, '/')).status,
      `${primary_domain} is ${status}`,
    ).toBe(status === 'active' ? 200 : 503)
}, 300_000)

/** What was found, with all that was asked and logged of the accounts that it is about. */
const explanation = (
  findings: readonly { subject: string }[],
  answers: readonly { call: string; status: number; error: string | undefined }[],
): string => {
  const names = findings.flatMap(({ subject }) => subject.match(/bt[a-z0-9]{8}/g) ?? [])
  const { log_dir, state_dir } = instance.config.paths
  const logged = ['panel', 'agent', 'web'].flatMap((name) =>
    readFileSync(join(log_dir, `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => names.some((one) => line.includes(one)) || !line.includes('"level":30'))
      .map((line) => `${name}: ${line}`),
  )
  const store = new Database(join(state_dir, 'panel', 'panel.db'), { readonly: true })
  const rows = ['accounts', 'domains', 'operations'].flatMap((table) =>
    store
      .prepare<[], unknown>(`select * from ${table}`)
      .all()
      .map((row) => `${table}: ${JSON.stringify(row)}`)
      .filter((line) => names.some((one) => line.includes(one))),
  )
  store.close()
  return [
    `seed ${SEED}`,
    ...findings.map((finding) => JSON.stringify(finding)),
    ...answers.map((answer) => JSON.stringify(answer)),
    ...rows,
    ...logged,
  ].join('\n')
}

/** Errors in the logs, for the message of a failure. */
const errorsLogged = (): string =>
  ['panel', 'agent']
    .flatMap((name) => {
      const file = join(instance.config.paths.log_dir, `${name}.log`)
      return readFileSync(file, 'utf8').split('\n')
    })
    .filter((line) => line.includes('"level":50'))
    .join('\n')

const fileOf = (id: number) => ({
  account_id: id,
  path: 'public_html/note.txt',
  content: 'a note',
})
